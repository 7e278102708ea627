import { access, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ArtifactStore } from '../artifact-store.ts'
import { addressOf, contentOf, textOf } from '../testing/content.ts'
import { openFileStore } from './file-store.ts'

const text = 'the log of a run\n'.repeat(100)
const address = addressOf(text)

describe('the store in a folder', () => {
  let folder = ''
  let store: ArtifactStore

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agents-store-'))
    store = openFileStore(join(folder, 'store'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const partials = () => readdir(join(folder, 'store', 'uploading')).catch(() => [])
  const pathsOf = async (addresses: ReturnType<ArtifactStore['list']>) => {
    const found: string[] = []
    for await (const { namespace, digest } of addresses) found.push(`${namespace}/${digest}`)
    return found
  }
  const listed = () => pathsOf(store.list())
  const interrupted = () => pathsOf(store.interrupted())
  const contentPath = join('content', address.namespace, address.digest)

  test('gives back what was put', async () => {
    await store.put(address, contentOf(text))
    expect(await store.stat(address)).toEqual({ sizeBytes: text.length })
    expect(await textOf(await store.get(address))).toBe(text)
    expect(await listed()).toEqual([`team-a/${address.digest}`])
    expect(await partials()).toEqual([])
  })

  test('stores the same content once, and that of another namespace apart', async () => {
    await store.put(address, contentOf(text))
    await store.put(address, contentOf(text))
    const other = addressOf(text, 'team-b')
    expect(await store.get(other)).toBeUndefined()
    await store.put(other, contentOf(text))
    expect(await listed()).toHaveLength(2)
    await store.delete(other, async () => false)
    expect(await textOf(await store.get(address))).toBe(text)
  })

  test('stores empty content', async () => {
    await store.put(addressOf(''), contentOf(''))
    expect(await textOf(await store.get(addressOf('')))).toBe('')
  })

  test.each([
    { because: 'other bytes', content: () => contentOf(text.toUpperCase()) },
    {
      because: 'too few',
      content: () => ({ ...contentOf(text.slice(1)), sizeBytes: text.length }),
    },
    { because: 'too many', content: () => ({ ...contentOf(`${text}x`), sizeBytes: text.length }) },
  ])('refuses $because and leaves nothing', async ({ content }) => {
    await expect(store.put(address, content())).rejects.toMatchObject({ reason: 'ContentMismatch' })
    expect(await store.stat(address)).toBeUndefined()
    expect([...(await listed()), ...(await partials())]).toEqual([])
  })

  test('leaves nothing of a sender who goes away', async () => {
    const body = (async function* () {
      yield Buffer.from(text.slice(0, 10))
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })
    })()
    const put = store.put(address, { sizeBytes: text.length, body })
    await expect(put).rejects.toMatchObject({ reason: 'Interrupted' })
    expect([...(await listed()), ...(await partials())]).toEqual([])
  })

  test.each([
    { because: 'a changed byte', change: (bytes: Buffer) => bytes.fill('X', 5, 6) },
    { because: 'lost bytes', change: (bytes: Buffer) => bytes.subarray(0, 20) },
    { because: 'added bytes', change: (bytes: Buffer) => Buffer.concat([bytes, bytes]) },
  ])('finds $because when it is read, and does not reach the end', async ({ change }) => {
    await store.put(address, contentOf(text))
    const path = join(folder, 'store', contentPath)
    const changed = change(await readFile(path))
    await writeFile(path, changed)
    const content = await store.get(address)
    let received = 0
    const reading = (async () => {
      for await (const piece of content?.body ?? []) received += piece.length
    })()
    await expect(reading).rejects.toMatchObject({ reason: 'Corrupted' })
    expect(received).toBeLessThan(changed.length)
    await store.put(address, contentOf(text))
    expect(await textOf(await store.get(address))).toBe(text)
  })

  test.each([
    { namespace: '..', digest: address.digest },
    { namespace: '../..', digest: address.digest },
    { namespace: 'a/b', digest: address.digest },
    { namespace: 'team-a\0', digest: address.digest },
    { namespace: '', digest: address.digest },
    { namespace: 'team-a', digest: '../../../etc/passwd' },
    { namespace: 'team-a', digest: `../${address.digest}` },
    { namespace: 'team-a', digest: address.digest.toUpperCase() },
    { namespace: 'team-a', digest: `${address.digest}\n` },
  ])('takes no path for an address: $namespace, $digest', async (wrong) => {
    const refused = { reason: 'InvalidAddress' }
    await expect(store.put(wrong, contentOf(text))).rejects.toMatchObject(refused)
    await expect(store.get(wrong)).rejects.toMatchObject(refused)
    await expect(store.stat(wrong)).rejects.toMatchObject(refused)
    await expect(store.delete(wrong, async () => false)).rejects.toMatchObject(refused)
    await expect(access(join(folder, 'store'))).rejects.toThrow('ENOENT')
  })

  test('does not list files of others', async () => {
    await store.put(address, contentOf(text))
    await mkdir(join(folder, 'store', 'content', 'lost+found'))
    await writeFile(join(folder, 'store', 'content', 'README'), '')
    await writeFile(join(folder, 'store', 'content', 'team-a', 'notes.txt'), '')
    expect(await listed()).toHaveLength(1)
  })

  test('keeps content that is used, and can be put to afterwards', async () => {
    await store.put(address, contentOf(text))
    expect(await store.delete(address, async () => true)).toBe(false)
    await store.put(address, contentOf(text))
    expect(await store.delete(address, async () => false)).toBe(true)
    expect(await store.stat(address)).toBeUndefined()
    expect(await listed()).toEqual([])
  })

  test('acknowledges no upload that a deletion may undo', async () => {
    await store.put(address, contentOf(text))
    // The deletion has just seen that nobody uses the content when another upload of it begins and ends.
    await store.delete(address, async () => {
      const put = store.put(address, contentOf(text))
      await expect(put).rejects.toMatchObject({ reason: 'BeingDeleted' })
      await expect(store.stat(address)).rejects.toMatchObject({ reason: 'BeingDeleted' })
      return false
    })
    expect(await store.stat(address)).toBeUndefined()
    await store.put(address, contentOf(text))
    expect(await textOf(await store.get(address))).toBe(text)
  })

  test('lists what an interrupted deletion has left, also without its content', async () => {
    const crash = store.delete(address, () => Promise.reject(new Error('killed')))
    await expect(crash).rejects.toThrow('killed')
    expect(await interrupted()).toEqual([`team-a/${address.digest}`])
    await store.delete(address, async () => true)
    expect(await interrupted()).toEqual([])
    await store.put(address, contentOf(text))
  })

  test('removes old pieces of uploads only', async () => {
    await store.put(address, contentOf(text))
    const [old, young] = ['old', 'young'].map((name) => join(folder, 'store', 'uploading', name))
    await writeFile(old ?? '', '')
    await writeFile(young ?? '', '')
    await utimes(old ?? '', new Date(0), new Date(1000))
    await store.clean(new Date(Date.now() - 60_000))
    expect(await partials()).toEqual(['young'])
    expect(await store.stat(address)).toBeDefined()
  })

  test('says what is wrong with its folder', async () => {
    await writeFile(join(folder, 'store'), 'a file')
    const put = store.put(address, contentOf(text))
    await expect(put).rejects.toMatchObject({
      reason: 'Unavailable',
      message: expect.stringMatching(/EEXIST|ENOTDIR/),
    })
  })
})
