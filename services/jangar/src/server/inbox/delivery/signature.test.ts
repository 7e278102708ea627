import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { isProven, isTimely, readClaim, type WebhookHeaders } from './signature.ts'

const secret = Buffer.from('a-secret-of-thirty-two-characters')
const next = Buffer.from('the-secret-that-replaces-the-first')
const body = Buffer.from('{"action":"labeled","issue":{"number":7}}')

function signed(algorithm: 'sha256' | 'sha1', by: Buffer, content: Buffer): string {
  return createHmac(algorithm, by).update(content).digest('hex')
}

function accepts(
  provider: 'github' | 'gitlab' | 'gitea' | 'linear',
  headers: WebhookHeaders,
  { content = body, secrets = [secret] }: { content?: Buffer; secrets?: Buffer[] } = {},
): boolean {
  const claim = readClaim(provider, headers)
  return claim !== undefined && isProven(claim, content, secrets)
}

const right = signed('sha256', secret, body)

describe('signatures', () => {
  test.each([
    {
      because: 'GitHub',
      provider: 'github',
      headers: { 'x-hub-signature-256': `sha256=${right}` },
    },
    { because: 'Gitea', provider: 'gitea', headers: { 'x-gitea-signature': right } },
    { because: 'Linear', provider: 'linear', headers: { 'linear-signature': right } },
    { because: 'GitLab', provider: 'gitlab', headers: { 'x-gitlab-token': String(secret) } },
  ] as const)('of $because are accepted', ({ provider, headers }) => {
    expect(accepts(provider, headers)).toBe(true)
  })

  test.each([
    { because: 'there is none', headers: {} },
    { because: 'it is empty', headers: { 'x-hub-signature-256': '' } },
    {
      because: 'it is SHA-1 under its own name',
      headers: { 'x-hub-signature': `sha1=${signed('sha1', secret, body)}` },
    },
    {
      because: 'it is SHA-1 under the other name',
      headers: { 'x-hub-signature-256': `sha1=${signed('sha1', secret, body)}` },
    },
    {
      because: 'the secret is another one',
      headers: { 'x-hub-signature-256': `sha256=${signed('sha256', next, body)}` },
    },
    {
      because: 'the secret is empty',
      headers: { 'x-hub-signature-256': `sha256=${signed('sha256', Buffer.alloc(0), body)}` },
    },
    { because: 'the algorithm is missing', headers: { 'x-hub-signature-256': right } },
    { because: 'it is a part', headers: { 'x-hub-signature-256': `sha256=${right.slice(2)}` } },
    {
      because: 'something follows it',
      headers: { 'x-hub-signature-256': `sha256=${right}, sha256=${right}` },
    },
    { because: 'it is that of Gitea', headers: { 'x-gitea-signature': right } },
  ])('are refused: $because', ({ headers }) => {
    expect(accepts('github', headers)).toBe(false)
  })

  test('are refused when any one byte of the body has changed', () => {
    for (let at = 0; at < body.length; at++) {
      const content = Buffer.from(body)
      content[at] = (content[at] ?? 0) ^ 1
      expect(accepts('gitea', { 'x-gitea-signature': right }, { content })).toBe(false)
    }
  })

  test('are refused when any one character of them has changed', () => {
    for (let at = 0; at < right.length; at++) {
      const other = right[at] === '0' ? '1' : '0'
      const wrong = `${right.slice(0, at)}${other}${right.slice(at + 1)}`
      expect(accepts('gitea', { 'x-gitea-signature': wrong })).toBe(false)
    }
  })

  test('by either of two secrets are accepted, and by none when there is none', () => {
    for (const by of [secret, next]) {
      const headers = { 'x-gitea-signature': signed('sha256', by, body) }
      expect(accepts('gitea', headers, { secrets: [secret, next] })).toBe(true)
      expect(accepts('gitea', headers, { secrets: [] })).toBe(false)
    }
  })

  test.each(['', 'a-secret', `${secret}x`, 'x'.repeat(2000)])(
    'GitLab: a token that is not the secret is refused: %s',
    (token) => {
      expect(accepts('gitlab', { 'x-gitlab-token': token })).toBe(false)
    },
  )
})

describe('the time in a delivery of Linear', () => {
  const now = new Date('2026-11-17T08:00:00Z')
  test.each([
    { because: 'it is from now', at: now.getTime() - 59_000, expected: true },
    { because: 'it is old', at: now.getTime() - 61_000, expected: false },
    { because: 'it is from the future', at: now.getTime() + 61_000, expected: false },
    { because: 'it has none', at: undefined, expected: false },
    { because: 'it is a text', at: String(now.getTime()), expected: false },
    { because: 'it is not a number', at: Number.NaN, expected: false },
  ])('$because', ({ at, expected }) => {
    expect(isTimely('linear', { webhookTimestamp: at }, now)).toBe(expected)
  })
})
