import { spawnSync } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { collection, connect, readContents } from './write-load.ts'

const mayMount =
  spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0

test('a second process on the same directory is refused, and the first continues', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'agents-crash-'))
  const first = await startEmbeddedServer({ dataDir })
  try {
    await expect(startEmbeddedServer({ dataDir })).rejects.toThrow(/in use by another process/)
    expect((await readContents(first)).revision).toBeGreaterThan(0)
  } finally {
    await first.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
})

test.skipIf(!mayMount)(
  'a full disk fails writes with a clear error, and reads continue',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'agents-crash-'))
    // A file system that only this process sees and that is unmounted when it exits.
    const small = `mount -t tmpfs -o size=6m tmpfs '${dataDir}' && exec "$0" "$@"`
    const server = await startEmbeddedServer({
      dataDir,
      through: ['unshare', '-Urm', 'sh', '-c', small],
    })
    const connection = await connect(server)
    try {
      const write = (n: number, size: number) => {
        const data = { padding: 'x'.repeat(size) }
        const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `big-${n}` }, data }
        return connection.send({ method: 'POST', path: collection, body: JSON.stringify(object) })
      }
      let written = 0
      let refusal = await write(written, 200_000)
      while (refusal.status === 201 && written < 100) refusal = await write(++written, 200_000)
      expect(refusal.status).toBe(507)
      const status = JSON.parse(refusal.body.toString()) as { kind: string; message: string }
      expect(status).toMatchObject({ kind: 'Status', reason: 'InternalError' })
      expect(status.message).toMatch(/disk|space|full/)

      const { body } = await connection.send({ method: 'GET', path: `${collection}?limit=500` })
      const { items } = JSON.parse(body.toString()) as { items: { metadata: { name: string } }[] }
      const big = items.filter(({ metadata }) => metadata.name.startsWith('big-'))
      expect(big).toHaveLength(written)
      const one = await connection.send({ method: 'GET', path: `${collection}/big-0` })
      expect(one.status).toBe(200)
    } finally {
      connection.close()
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    }
  },
)

test('a disk that returns other data than was written makes the process exit with 70', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'agents-crash-'))
  const server = await startEmbeddedServer({ dataDir })
  const connection = await connect(server)
  const write = (n: number): Promise<number | undefined> => {
    const data = { padding: 'x'.repeat(20_000) }
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `big-${n}` }, data }
    return connection.send({ method: 'POST', path: collection, body: JSON.stringify(object) }).then(
      ({ status }) => status,
      () => undefined,
    )
  }
  try {
    // More than SQLite caches in memory.
    for (let n = 0; n < 400; n++) expect(await write(n)).toBe(201)
    for (const name of ['objects.db', 'objects.db-wal']) {
      await overwrite(join(dataDir, 'store', name))
    }
    const answers: (number | undefined)[] = []
    for (let n = 400; n < 1_000 && (n === 400 || answers.at(-1) === 201); n++)
      answers.push(await write(n))
    await expect
      .poll(() => server.program.exited(), { timeout: 120_000 })
      .toBe('exited with code 70')
    expect(await server.log()).toContain('the store can no longer write')
    // A write that failed was not acknowledged.
    expect(answers.filter((status) => status !== 201 && status !== undefined)).toEqual(
      answers.includes(503) ? [503] : [],
    )
  } finally {
    connection.close()
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
})

/** Overwrites the file with bytes that are not a valid SQLite database. */
async function overwrite(path: string): Promise<void> {
  const file = await open(path, 'r+')
  const { size } = await file.stat()
  await file.write(Buffer.alloc(size, 0x5a), 0, size, 0)
  await file.close()
}
