import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { certificatesIn } from './certificates.ts'
import { openConnection } from './connection.ts'

const [one = '', two = ''] = rootCertificates
const key = '-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49\n-----END PRIVATE KEY-----\n'

describe('certificates', () => {
  test.each([
    { because: 'there is one', text: one, count: 1 },
    { because: 'there are two, and words between them', text: `${one}\n# two\n${two}`, count: 2 },
    { because: 'the text was made on Windows', text: one.replaceAll('\n', '\r\n'), count: 1 },
    { because: 'a key that does not belong there is left out', text: `${key}${one}`, count: 1 },
  ])('are taken out of a text: $because', ({ text, count }) => {
    const found = certificatesIn(text)
    expect(found).toHaveLength(count)
    expect(found.join('')).not.toContain('PRIVATE')
  })

  test.each([
    { because: 'there is nothing', text: '' },
    { because: 'it is a key', text: key },
    { because: 'it is cut short', text: one.slice(0, -40) },
    { because: 'what is inside is none', text: one.replace(/\nMII[^\n]*/, '\nQUJD') },
  ])('are refused when $because', ({ text }) => {
    expect(() => certificatesIn(text)).toThrow(expect.objectContaining({ code: 'refused' }))
  })
})

test('git trusts these certificates and no others', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'agents-git-test-'))
  try {
    const open = await openConnection(
      {
        url: 'https://git.test/a',
        credentials: { kind: 'none' },
        caCertificates: `${key}${one}`,
      },
      { directory, path: '' },
    )
    const { 'http.sslCAInfo': file = '', 'http.sslCAPath': folder = '' } = Object.fromEntries(
      open.config,
    )
    expect(certificatesIn(await readFile(file, 'utf8'))).toEqual(certificatesIn(one))
    expect(await readFile(file, 'utf8')).not.toContain('PRIVATE')
    expect(await readdir(folder)).toEqual([])
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
