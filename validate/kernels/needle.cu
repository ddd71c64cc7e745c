// Needleman-Wunsch: the best global alignment of sequence pairs, a CTA for each pair. The table of scores is filled in
// tiles along its anti-diagonals, a tile in shared memory. A thread goes along a row of it.

constexpr int TILE = 32;

// `score` holds a table of (n + 1) x (n + 1) for each pair. Its first row and column are filled before.
extern "C" __global__ void needle(const unsigned char *a, const unsigned char *b, int *score, int n, int match,
                                  int mismatch, int gap)
{
    __shared__ int tile[TILE + 1][TILE + 1];
    __shared__ unsigned char top[TILE];
    const int t = threadIdx.x, width = n + 1;
    a += blockIdx.x * n;
    b += blockIdx.x * n;
    score += (size_t)blockIdx.x * width * width;
    for (int d = 0; d < 2 * n / TILE - 1; d++) {
        const int first = max(0, d - n / TILE + 1), last = min(d, n / TILE - 1);
        for (int i = first; i <= last; i++) {
            const int y = i * TILE, x = (d - i) * TILE;
            top[t] = b[x + t];
            tile[0][t + 1] = score[y * width + x + t + 1];
            tile[t + 1][0] = score[(y + t + 1) * width + x];
            if (t == 0)
                tile[0][0] = score[y * width + x];
            __syncwarp();
            const unsigned char letter = a[y + t];
            int west = tile[t + 1][0], corner = tile[t][0];
            for (int k = 0; k < 2 * TILE - 1; k++) {
                const int column = k - t;
                if (column >= 0 && column < TILE) {
                    const int north = tile[t][column + 1];
                    const int step = corner + (letter == top[column] ? match : mismatch);
                    west = max(step, max(west, north) + gap);
                    tile[t + 1][column + 1] = west;
                    corner = north;
                }
                __syncwarp();
            }
            for (int row = 0; row < TILE; row++)
                score[(y + row + 1) * width + x + t + 1] = tile[row + 1][t + 1];
            __syncwarp();
        }
    }
}
