import { expect, test } from 'vitest'
import { startApiBed } from './api-bed.ts'
import { fuzzApi } from './fuzz-api.ts'

test('answers to 50,000 made-up requests are no server errors, and as described', async () => {
  const bed = await startApiBed('embedded')
  try {
    const { requests, findings } = await fuzzApi(bed, 4_000)
    expect(findings).toBe('')
    expect(requests).toBeGreaterThan(50_000)
  } finally {
    await bed.stop()
  }
})
