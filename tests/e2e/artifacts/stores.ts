import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StoreSettings } from '@agents/artifact-store'
import { ensureVersitygw, startS3Server } from '../../support/s3/versitygw.ts'

/** A store that tests may damage. */
export interface TestStore {
  readonly settings: StoreSettings
  /** The folder in which content is a file, by namespace and digest. */
  readonly contentFolder: string
  /** The server as it is killed and started again; a folder has none. */
  readonly crash?: () => Promise<void>
  readonly close: () => Promise<void>
}

const versitygw = await ensureVersitygw()

/** The stores that can be tested here, by name: a folder, and a real S3 where Go can build one. */
export const testStores: readonly {
  readonly name: string
  readonly start: () => Promise<TestStore>
}[] = [
  { name: 'a folder', start: startFolder },
  ...(versitygw === undefined ? [] : [{ name: 'S3', start: () => startBucket(versitygw) }]),
]

async function startFolder(): Promise<TestStore> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-store-'))
  return {
    settings: { driver: 'file', folder },
    contentFolder: join(folder, 'content'),
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

async function startBucket(path: string): Promise<TestStore> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-s3-'))
  const { settings, bucketFolder, crash, stop } = await startS3Server(path, folder)
  return {
    settings,
    contentFolder: join(bucketFolder, 'kept', 'content'),
    crash,
    close: async () => {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
