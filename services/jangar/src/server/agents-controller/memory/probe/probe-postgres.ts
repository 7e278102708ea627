import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { ConnectionOptions } from 'node:tls'
import { errorCode, longestProbeMs, type Probe, type ProbeOutcome } from './probe-outcome.ts'
import { readStoreAddress, type StoreAddress } from './store-address.ts'
import { withDeadline } from './with-deadline.ts'

/** Signs in and asks for a 1. */
export const probePostgres: Probe = async (connection, signal) => {
  const address = readStoreAddress(connection, { postgres: 5432, postgresql: 5432 })
  if (!address) {
    return { kind: 'invalid', message: 'it is not of the form postgres://user:password@host/name' }
  }
  const tls = readTls(address)
  if (tls === undefined) return { kind: 'invalid', message: 'its sslmode is none that there is' }
  const socket = new Socket()
  return withDeadline(socket, signal, () => askForOne(address, tls, socket))
}

/** As libpq takes `sslmode`; certificates in files are not looked at. Undefined when the word is unknown. */
function readTls({ options }: StoreAddress): ConnectionOptions | false | undefined {
  switch (options.get('sslmode') ?? (options.get('ssl') === 'true' ? 'verify-full' : 'prefer')) {
    case 'disable':
    case 'allow':
    case 'prefer':
      return false
    case 'require':
    case 'no-verify':
      return { rejectUnauthorized: false }
    case 'verify-ca':
      return { checkServerIdentity: () => undefined }
    case 'verify-full':
      return {}
    default:
      return undefined
  }
}

async function askForOne(
  { host, port, user, password, path }: StoreAddress,
  ssl: ConnectionOptions | false,
  socket: Socket,
): Promise<ProbeOutcome> {
  // Only when there is something to probe: it takes longer to load than everything else of the controllers.
  const { default: pg } = await import('pg')
  const client = new pg.Client({
    host,
    port,
    user: user || 'postgres',
    database: path || user || 'postgres',
    // A function, even where it is empty: otherwise that of our own environment would be sent.
    password: () => password,
    ssl,
    stream: () => socket,
    query_timeout: longestProbeMs,
    application_name: 'agents-memory-probe',
  })
  // What happens to the connection after the answer concerns nobody.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('SELECT 1')
    // Leaving politely keeps an error out of the store's log, but is not worth waiting for.
    await Promise.race([client.end(), pause(500, undefined, { ref: false })])
    return { kind: 'reachable' }
  } catch (error) {
    const code = errorCode(error)
    return {
      kind: refusals[code] ? 'refused' : 'unreachable',
      message: `the store ${refusals[code] ?? 'does not answer'} (${code})`,
    }
  }
}

/** By SQLSTATE: the store is there, and does not want us. */
const refusals: Readonly<Record<string, string>> = {
  '28000': 'refuses this user',
  '28P01': 'refuses this password',
  '3D000': 'has no such database',
}
