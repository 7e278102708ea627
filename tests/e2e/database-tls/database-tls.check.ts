import { appendFile, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LocalPostgres, startPostgres } from '@agents/local-postgres'
import { createLogger, silentLogger } from '@agents/log'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../services/jangar/src/server/db.ts'
import { startService } from '../../support/processes/service-process.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { createAuthority } from './certificates.ts'

const right = createAuthority('the right authority')
const wrong = createAuthority('another authority')
let directory: string
let postgres: LocalPostgres

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agents-database-tls-'))
  await writeFile(join(directory, 'right.crt'), right.certificate)
  await writeFile(join(directory, 'wrong.crt'), wrong.certificate)
  await writeFile(join(directory, 'empty.crt'), '')
  const at = { directory: join(directory, 'postgres'), log: silent() }
  // The first start creates the data folder; certificates are read at each start.
  await (await startPostgres(at)).stop()
  await encrypt(join(at.directory, 'data'))
  postgres = await startPostgres(at)
})

afterAll(async () => {
  await postgres?.stop()
  await rm(directory, { recursive: true, force: true })
})

type SslMode = 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full'

interface Case {
  readonly because: string
  readonly mode?: SslMode
  /** Name of a file in the folder. */
  readonly authority?: string
  /** The certificate is valid for localhost. */
  readonly host?: 'localhost' | '127.0.0.1'
  /** Query string of the URL. */
  readonly words?: string
}

describe('a connection', () => {
  test.each<Case & { encrypted: boolean }>([
    { because: 'it is not asked for', encrypted: false },
    { because: 'it is forbidden', mode: 'disable', authority: 'right.crt', encrypted: false },
    { because: 'any certificate will do', mode: 'require', encrypted: true },
    { because: 'the authority alone says so', authority: 'right.crt', encrypted: true },
    {
      because: 'the host name does not matter',
      mode: 'verify-ca',
      authority: 'right.crt',
      encrypted: true,
    },
    {
      because: 'authority and host name match',
      mode: 'verify-full',
      authority: 'right.crt',
      host: 'localhost',
      encrypted: true,
    },
    {
      because: 'the URL requests it and the environment names the authority',
      words: 'sslmode=verify-full',
      authority: 'right.crt',
      host: 'localhost',
      encrypted: true,
    },
    {
      because: 'the environment takes precedence over the URL',
      words: 'sslmode=verify-full',
      mode: 'disable',
      encrypted: false,
    },
    {
      because: 'the URL names authority and mode',
      words: 'sslmode=verify-ca&sslrootcert=RIGHT',
      encrypted: true,
    },
  ])('is made: $because', async ({ encrypted, ...one }) => {
    const { answer } = await connect(one)
    expect(answer).toEqual([{ ssl: encrypted }])
  })

  test.each<Case & { expectedMessage: readonly string[] }>([
    {
      because: 'another authority signed it',
      mode: 'verify-full',
      authority: 'wrong.crt',
      host: 'localhost',
      expectedMessage: ['not signed by a trusted authority', 'PGSSLROOTCERT', 'database.caSecret'],
    },
    {
      because: 'another authority signed it, and require with an authority checks',
      mode: 'require',
      authority: 'wrong.crt',
      expectedMessage: ['not signed by a trusted authority', 'PGSSLROOTCERT'],
    },
    {
      because: 'no public authority signed it',
      mode: 'verify-full',
      host: 'localhost',
      expectedMessage: ['not signed by a trusted authority', 'PGSSLROOTCERT'],
    },
    {
      because: 'it is for another host name',
      mode: 'verify-full',
      authority: 'right.crt',
      host: '127.0.0.1',
      expectedMessage: [
        'does not contain the host in DATABASE_URL',
        '127.0.0.1',
        'PGSSLMODE=verify-ca',
      ],
    },
    {
      because: 'it is for another host name, and the mode comes from the URL',
      words: 'sslmode=verify-full',
      authority: 'right.crt',
      host: '127.0.0.1',
      expectedMessage: ['does not contain the host in DATABASE_URL'],
    },
    {
      because: 'the file does not exist',
      mode: 'verify-full',
      authority: 'missing.crt',
      expectedMessage: ['PGSSLROOTCERT', 'missing.crt', 'ENOENT'],
    },
    {
      because: 'the file is empty',
      authority: 'empty.crt',
      expectedMessage: ['PGSSLROOTCERT', 'empty.crt', 'no PEM certificate'],
    },
  ])('is refused: $because', async ({ expectedMessage, ...one }) => {
    const { answer, log } = await connect(one)
    expect(answer).toBeInstanceOf(Error)
    const { message, stack } = answer as Error
    for (const words of expectedMessage) expect(message).toContain(words)
    const { password } = new URL(postgres.url)
    for (const text of [message, stack, log]) expect(text).not.toContain(password)
  })
})

// The timeout detects hangs, not slowness.
describe('the control plane', { timeout: 300_000 }, () => {
  let server: EmbeddedServer

  beforeAll(async () => {
    server = await startEmbeddedServer()
  })

  afterAll(() => server?.stop())

  test('does not migrate a database that it does not trust, and suggests a fix', async () => {
    const plane = start(server, 'wrong.crt')
    expect(await plane.ended).toBe(1)
    expect(plane.text()).toContain('Set PGSSLROOTCERT')
    expect(plane.text()).not.toContain(new URL(postgres.url).password)
  })

  test('migrates a database that it trusts', async () => {
    const plane = start(server, 'right.crt')
    await plane.waitForOutput('database schema is up to date')
    plane.child.kill('SIGTERM')
    expect(await plane.ended).toBe(0)
    expect(plane.text()).not.toContain(new URL(postgres.url).password)
  })
})

function start({ kubeconfigPath }: EmbeddedServer, authority: string) {
  return startService('services/jangar/src/main/control-plane.ts', {
    KUBECONFIG: kubeconfigPath,
    HOME: directory,
    JANGAR_AGENTS_CONTROLLER_ENABLED: 'false',
    JANGAR_ORCHESTRATION_CONTROLLER_ENABLED: 'false',
    JANGAR_SUPPORTING_CONTROLLER_ENABLED: 'false',
    JANGAR_GRPC_ENABLED: 'false',
    DATABASE_URL: urlAt('localhost'),
    PGSSLMODE: 'verify-full',
    PGSSLROOTCERT: join(directory, authority),
  })
}

/** Returns whether the connection is encrypted, as reported by the server, or the error. */
async function connect({ mode, authority, host = '127.0.0.1', words }: Case) {
  const lines: string[] = []
  const log = createLogger({ sink: { write: (line) => lines.push(line) }, level: 'debug' })
  const asked = words?.replace('RIGHT', encodeURIComponent(join(directory, 'right.crt')))
  try {
    const db = await openDatabase(
      {
        url: asked === undefined ? urlAt(host) : `${urlAt(host)}?${asked}`,
        sslMode: mode,
        sslRootCert: authority === undefined ? undefined : join(directory, authority),
      },
      log,
    )
    try {
      const { rows } = await sql<{
        ssl: boolean
      }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(db)
      return { answer: rows, log: lines.join('\n') }
    } finally {
      await db.destroy()
    }
  } catch (error) {
    return { answer: error, log: lines.join('\n') }
  }
}

function urlAt(host: string): string {
  return postgres.url.replace('127.0.0.1', host)
}

/**
 * Enables TLS from the next start on. The files must belong to the user of the server, and only it may read the key.
 */
async function encrypt(dataDir: string): Promise<void> {
  const { uid, gid } = await stat(dataDir)
  const { certificate, key } = right.issue({ dnsNames: ['localhost'] })
  for (const [name, text] of [
    ['server.crt', certificate],
    ['server.key', key],
  ] as const) {
    await writeFile(join(dataDir, name), text, { mode: 0o600 })
    await chown(join(dataDir, name), uid, gid)
  }
  await appendFile(join(dataDir, 'postgresql.conf'), '\nssl = on\n')
}

function silent() {
  return silentLogger
}
