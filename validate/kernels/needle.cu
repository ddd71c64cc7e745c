// Needleman-Wunsch: the best global alignment of pairs of sequences, a CTA for each pair. The table of scores is filled
// in tiles along its anti-diagonals, a tile in shared memory.

constexpr int TILE = 32;

// `score` holds a table of (n + 1) x (n + 1) for each pair; its first row and column are filled before.
extern "C" __global__ void needle(const unsigned char *a, const unsigned char *b, int *score, int n, int match,
                                  int mismatch, int gap)
{
    __shared__ int tile[TILE + 1][TILE + 1];
    __shared__ unsigned char left[TILE], top[TILE];
    const int t = threadIdx.x, width = n + 1;
    a += blockIdx.x * n;
    b += blockIdx.x * n;
    score += (size_t)blockIdx.x * width * width;
    for (int d = 0; d < 2 * n / TILE - 1; d++) {
        const int first = max(0, d - n / TILE + 1), last = min(d, n / TILE - 1);
        for (int i = first; i <= last; i++) {
            const int y = i * TILE, x = (d - i) * TILE;
            left[t] = a[y + t];
            top[t] = b[x + t];
            tile[0][t + 1] = score[y * width + x + t + 1];
            tile[t + 1][0] = score[(y + t + 1) * width + x];
            if (t == 0)
                tile[0][0] = score[y * width + x];
            __syncwarp();
            for (int k = 0; k < 2 * TILE - 1; k++) {
                const int row = t, column = k - t;
                if (column >= 0 && column < TILE) {
                    const int step = left[row] == top[column] ? match : mismatch;
                    const int across = max(tile[row][column + 1], tile[row + 1][column]) + gap;
                    tile[row + 1][column + 1] = max(tile[row][column] + step, across);
                }
                __syncwarp();
            }
            for (int row = 0; row < TILE; row++)
                score[(y + row + 1) * width + x + t + 1] = tile[row + 1][t + 1];
            __syncwarp();
        }
    }
}
