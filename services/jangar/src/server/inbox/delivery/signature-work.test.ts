import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type Claim, isProven } from './signature.ts'

const body = Buffer.from('{"action":"labeled","issue":{"number":7}}')
const secrets = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer]
const other = Buffer.alloc(32, 4)

function digestBy(secret: Buffer): Buffer {
  return createHmac('sha256', secret).update(body).digest()
}

/** The list, and how many of its items were read. */
function counted<T>(items: readonly T[]): { readonly items: readonly T[]; reads(): number } {
  let count = 0
  const proxy = new Proxy(items, {
    get: (target, key, receiver) => {
      if (typeof key === 'string' && /^\d+$/.test(key) && Number(key) < target.length) count += 1
      return Reflect.get(target, key, receiver)
    },
  })
  return { items: proxy, reads: () => count }
}

describe('the work for a proof does not depend on what is right about it', () => {
  test.each([
    { because: 'nothing', by: other, proven: false },
    { because: 'the first secret fits', by: secrets[0], proven: true },
    { because: 'the last secret fits', by: secrets[2], proven: true },
  ])('all digests are compared under all secrets: $because', ({ by, proven }) => {
    for (const given of [
      [digestBy(by), digestBy(other)],
      [digestBy(other), digestBy(by)],
    ]) {
      const tried = counted(secrets)
      const digests = counted(given)
      const claim: Claim = { kind: 'digest', digests: digests.items, prefix: '' }
      expect(isProven(claim, body, tried.items)).toBe(proven)
      expect([tried.reads(), digests.reads()]).toEqual([3, 6])
    }
  })

  test.each([
    { because: 'nothing', token: String(other), proven: false },
    { because: 'the first secret fits', token: String(secrets[0]), proven: true },
    { because: 'the last secret fits', token: String(secrets[2]), proven: true },
  ])('a token is compared with all secrets: $because', ({ token, proven }) => {
    const tried = counted(secrets)
    expect(isProven({ kind: 'token', token }, body, tried.items)).toBe(proven)
    expect(tried.reads()).toBe(3)
  })

  // Only the comparison of constant time throws for it; others would find a difference.
  test.each([
    { because: 'one secret', tried: [other] },
    { because: 'none, in whose place another one is tried', tried: [] },
  ])('digests are compared in constant time: $because', ({ tried }) => {
    const claim: Claim = { kind: 'digest', digests: [Buffer.alloc(31)], prefix: '' }
    const error = expect.objectContaining({ code: 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH' })
    expect(() => isProven(claim, body, tried)).toThrow(error)
  })
})
