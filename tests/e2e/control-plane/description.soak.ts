import { expect, test } from 'vitest'
import { startApiBed } from './api-bed.ts'
import { fuzzApi } from './fuzz-api.ts'

test('answers to 50,000 made-up requests are no server errors, and as described', async () => {
  const bed = await startApiBed('embedded')
  try {
    // Several at a time: making the requests takes longer than answering them.
    const parts = await Promise.all([
      fuzzApi(bed, 260),
      ...[2, 3, 4].map((seed) => fuzzApi(bed, 260, { seed, phases: ['fuzzing'] })),
    ])
    const requests = parts.reduce((sum, part) => sum + part.requests, 0)
    process.stderr.write(`${requests} requests\n`)
    expect(parts.map(({ findings }) => findings)).toEqual(['', '', '', ''])
    expect(requests).toBeGreaterThan(50_000)
  } finally {
    await bed.stop()
  }
})
