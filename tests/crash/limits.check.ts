import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startEmbeddedServer } from '../testbed/embedded-server.ts'
import { collection, connect, readContents } from './write-load.ts'

const mayMount =
  spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0

test('a second process on the same directory is refused, and the first goes on', async () => {
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

test.skipIf(!mayMount)('a full disk fails writes, clearly, and reads go on', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'agents-crash-'))
  // A disk that only this process sees and that is gone with it.
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
})
