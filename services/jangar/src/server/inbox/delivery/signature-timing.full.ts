import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { isProven, readClaim } from './signature.ts'

const body = Buffer.from('{"action":"labeled","issue":{"number":7}}')
const secret = Buffer.from('s'.repeat(1000))
const rounds = 4000
const measurements = 3
const calls = 10

/**
 * By how much the second takes longer than the first, as a part of it: the median of some measurements, since
 * other work of the machine disturbs one of them now and then.
 */
function slowdown(first: () => unknown, second: () => unknown): number {
  for (let call = 0; call < 2000; call++) [first, second].map((work) => work())
  const found = Array.from({ length: measurements }, () => measured(first, second))
  return found.toSorted((a, b) => a - b)[(measurements - 1) / 2] ?? Number.NaN
}

/**
 * Both are measured in turns, many times and briefly, and the fast tenth of the times counts: other work of the machine
 * makes the others longer.
 */
function measured(first: () => unknown, second: () => unknown): number {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
    for (const at of order) times[at].push(timeOf(at === 0 ? first : second))
  }
  const [one, other] = times.map((all) => all.toSorted((a, b) => a - b)[rounds / 10] ?? 0)
  return (other ?? 0) / (one ?? 1) - 1
}

function timeOf(work: () => unknown): number {
  const start = process.hrtime.bigint()
  for (let call = 0; call < calls; call++) work()
  return Number(process.hrtime.bigint() - start)
}

function changed(text: string, at: number): string {
  return `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`
}

/** How a comparison must not be written. */
function isSameSlowly(a: Buffer, b: Buffer): boolean {
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return a.length === b.length
}

describe('the time of a wrong proof does not depend on how much of it is right', () => {
  test('a comparison that gives up early is noticed by this test', () => {
    const [early, late] = [changed(String(secret), 0), changed(String(secret), 999)].map((text) =>
      Buffer.from(text),
    ) as [Buffer, Buffer]
    const found = slowdown(
      () => isSameSlowly(secret, early),
      () => isSameSlowly(secret, late),
    )
    expect(found).toBeGreaterThan(0.5)
  })

  test.each([
    { because: 'a token', header: 'x-gitlab-token', provider: 'gitlab', right: String(secret) },
    {
      because: 'a signature',
      header: 'x-gitea-signature',
      provider: 'gitea',
      right: createHmac('sha256', secret).update(body).digest('hex'),
    },
    {
      because: 'a signature of a generic delivery',
      header: 'webhook-signature',
      provider: 'generic',
      // Its last character is a filler, and the one before it only in part.
      right: `v1,${createHmac('sha256', secret).update('m.1.').update(body).digest('base64')}`,
      from: 3,
      to: -3,
    },
  ] as const)('$because', (row) => {
    const { header, provider, right, from = 0, to = -1 } = row
    const proofs = [changed(right, from), changed(right, right.length + to)].map((wrong) => () => {
      const signed = { 'webhook-id': 'm', 'webhook-timestamp': '1' }
      const claim = readClaim(provider, { ...signed, [header]: wrong })
      return claim !== undefined && isProven(claim, body, [secret])
    }) as [() => boolean, () => boolean]
    expect(proofs.map((proof) => proof())).toEqual([false, false])
    expect(Math.abs(slowdown(...proofs))).toBeLessThan(0.1)
  })

  test('nor on whether there is a secret', () => {
    const claim = readClaim('gitea', { 'x-gitea-signature': 'a'.repeat(64) })
    if (claim === undefined) throw new TypeError('no claim')
    // Its key is as long as that of the decoy: a longer one is hashed first.
    const [none, one] = [[], [Buffer.alloc(32, 1)]]
    const found = slowdown(
      () => isProven(claim, body, none),
      () => isProven(claim, body, one),
    )
    expect(Math.abs(found)).toBeLessThan(0.1)
  })
})
