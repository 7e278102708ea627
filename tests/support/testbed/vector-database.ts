import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensurePackages } from './npm-packages.ts'

/** PostgreSQL with pgvector, compiled to WebAssembly: the binaries for other tests have no extensions of others. */
const packages = {
  '@electric-sql/pglite': '0.5.14',
  '@electric-sql/pglite-socket': '0.2.17',
  '@electric-sql/pglite-pgvector': '0.0.15',
} as const

export interface VectorDatabase {
  readonly url: string
  stop(): Promise<void>
}

interface Socket {
  start(): Promise<void>
  stop(): Promise<void>
  getServerConn(): string
}

interface Database {
  close(): Promise<void>
}

interface Modules {
  readonly PGlite: { create(options: object): Promise<Database> }
  readonly PGLiteSocketServer: new (options: object) => Socket
  readonly vector: object
}

/** A database on a port of loopback, in this process. `hasVector` is whether the extension can be created in it. */
export async function startVectorDatabase(hasVector = true): Promise<VectorDatabase> {
  const folder = await ensurePackages('pglite', packages)
  const modules: Partial<Modules> = {}
  for (const name of Object.keys(packages)) {
    const module = await import(pathToFileURL(join(folder, name, 'dist/index.js')).href)
    Object.assign(modules, module)
  }
  const { PGlite, PGLiteSocketServer, vector } = modules as Modules
  const db = await PGlite.create(hasVector ? { extensions: { vector } } : {})
  const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0 })
  await server.start()
  return {
    url: `postgres://postgres@${server.getServerConn()}/postgres`,
    async stop() {
      await server.stop()
      await db.close()
    },
  }
}
