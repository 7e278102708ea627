import { X509Certificate } from 'node:crypto'
import { mkdtemp, readdir, rm, stat, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openKeyFolder } from './key-folder.ts'

const now = new Date('2026-06-01T00:00:00Z')
let base: string
let folder: string

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'keys-'))
  folder = join(base, 'pki')
})
afterEach(() => rm(base, { recursive: true, force: true }))

describe('a key folder', () => {
  test('is read back as it was written', async () => {
    const first = await openKeyFolder(folder, now)
    expect(await openKeyFolder(folder, now)).toEqual(
      Object.fromEntries(Object.entries(first).map(([part, text]) => [part, text.trim()])),
    )
  })

  test('is readable by its owner only', async () => {
    await openKeyFolder(folder, now)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    for (const name of await readdir(folder)) {
      expect((await stat(join(folder, name))).mode & 0o777, name).toBe(0o600)
    }
  })

  test('gets a new serving certificate of the same CA when the old one expires soon', async () => {
    const first = await openKeyFolder(folder, now)
    const later = new Date('2027-06-20T00:00:00Z')
    const second = await openKeyFolder(folder, later)
    expect(second.servingCertificate).not.toBe(first.servingCertificate.trim())
    expect(second.caCertificate).toBe(first.caCertificate.trim())
    const renewed = new X509Certificate(second.servingCertificate)
    expect(renewed.checkIssued(new X509Certificate(second.caCertificate))).toBe(true)
    expect(renewed.validToDate.getTime()).toBeGreaterThan(later.getTime())
  })

  test('is created again after an interrupted start', async () => {
    const first = await openKeyFolder(folder, now)
    await unlink(join(folder, 'admin.token'))
    expect((await openKeyFolder(folder, now)).caKey).not.toBe(first.caKey.trim())
  })

  test('reports a missing file instead of replacing keys that clients trust', async () => {
    await openKeyFolder(folder, now)
    await unlink(join(folder, 'ca.key'))
    await expect(openKeyFolder(folder, now)).rejects.toThrow('ca.key missing in')
  })
})
