import { expect, test } from 'vitest'
import { startApiBed } from './api-bed.ts'
import { fuzzApi } from './fuzz-api.ts'

test('answers to 50,000 made-up requests are no server errors, and as described', async () => {
  const bed = await startApiBed('embedded')
  try {
    // Two at a time: making the requests takes longer than answering them.
    const halves = await Promise.all([
      fuzzApi(bed, 700),
      fuzzApi(bed, 700, { seed: 2, phases: ['fuzzing'] }),
    ])
    const requests = halves.reduce((sum, half) => sum + half.requests, 0)
    process.stderr.write(`${requests} requests\n`)
    expect(halves.map(({ findings }) => findings)).toEqual(['', ''])
    expect(requests).toBeGreaterThan(50_000)
  } finally {
    await bed.stop()
  }
})
