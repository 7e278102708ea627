import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoreSettings } from '@agents/artifact-store'
import { type ChildProgram, startProgram } from '../testbed/child-program.ts'
import { freePort } from '../testbed/free-port.ts'
import { ensureGoProgram } from '../testbed/go-program.ts'
import { until } from '../testbed/until.ts'

/** A real S3 server, and how to reach one of its buckets. */
export interface S3Server {
  readonly settings: Extract<StoreSettings, { driver: 's3' }>
  /** The folder with the objects of the bucket, as files. */
  readonly bucketFolder: string
  readonly pid: () => number
  readonly stop: () => Promise<void>
  /** Kills it and starts it again on the same port. */
  readonly crash: () => Promise<void>
}

/** The path of versitygw, which is built at first use; undefined where Go is not installed. */
export function ensureVersitygw(): Promise<string | undefined> {
  const sources = join(import.meta.dirname, 'versitygw')
  return ensureGoProgram(sources, undefined, 'github.com/versity/versitygw/cmd/versitygw')
}

/** Starts a server whose objects are files in `folder`. */
export async function startS3Server(path: string, folder: string): Promise<S3Server> {
  const objects = join(folder, 'objects')
  const bucketFolder = join(objects, 'artifacts')
  await mkdir(bucketFolder, { recursive: true })
  const port = await freePort()
  const keys = { accessKeyId: 'test-key', secretAccessKey: 'test-secret-of-the-s3-server' }
  const args = [
    `--port=127.0.0.1:${port}`,
    `--access=${keys.accessKeyId}`,
    `--secret=${keys.secretAccessKey}`,
    '--quiet',
    '--keep-alive',
    'posix',
    objects,
  ]
  const start = async (): Promise<ChildProgram> => {
    const program = await startProgram('versitygw', path, args, join(folder, 'versitygw.log'))
    await until(() => isAnswering(program, port))
    return program
  }
  let program = await start()
  return {
    settings: {
      driver: 's3',
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      bucket: 'artifacts',
      prefix: 'kept/',
      pathStyle: true,
      ...keys,
    },
    bucketFolder,
    pid: () => program.pid,
    stop: () => program.stop(),
    crash: async () => {
      await program.stop('SIGKILL')
      program = await start()
    },
  }
}

async function isAnswering(program: ChildProgram, port: number): Promise<boolean> {
  const ending = program.exited()
  if (ending !== undefined) throw new Error(`versitygw ${ending}:\n${await program.logTail()}`)
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  )
}
