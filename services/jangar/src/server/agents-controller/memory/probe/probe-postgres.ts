import { isIP, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { ConnectionOptions } from 'node:tls'
import { postgresTls } from '../../../../run-contract/memory/postgres-tls.ts'
import {
  readStoreAddress,
  type StoreAddress,
} from '../../../../run-contract/memory/store-address.ts'
import { errorCode, longestProbeMs, type Probe, type ProbeOutcome } from './probe-outcome.ts'
import { notProbed, resolveStoreHost } from './store-host.ts'
import { withDeadline } from './with-deadline.ts'

/** Authenticates and runs `SELECT 1`. */
export const probePostgres: Probe = async (connection, signal) => {
  const address = readStoreAddress(connection, { postgres: 5432, postgresql: 5432 })
  if (!address) {
    return { kind: 'invalid', message: 'it is not of the form postgres://user:password@host/name' }
  }
  const tls = postgresTls(address)
  if (tls === undefined) return { kind: 'invalid', message: 'its sslmode is invalid' }
  const located = await resolveStoreHost(address.host)
  if (located.kind !== 'address') return notProbed(located)
  const socket = new Socket()
  const ssl = tls && { ...tls, ...(isIP(address.host) === 0 && { servername: address.host }) }
  const at = { ...address, host: located.address }
  return withDeadline(socket, signal, () => askForOne(at, ssl, socket))
}

async function askForOne(
  { host, port, user, password, path }: StoreAddress,
  ssl: ConnectionOptions | false,
  socket: Socket,
): Promise<ProbeOutcome> {
  // Imported on demand: it takes longer to load than the rest of the controllers.
  const { default: pg } = await import('pg')
  const client = new pg.Client({
    host,
    port,
    user: user || 'postgres',
    database: path || user || 'postgres',
    // A function even if the password is empty: otherwise the driver would send the one from our environment.
    password: () => password,
    ssl,
    stream: () => socket,
    query_timeout: longestProbeMs,
    application_name: 'agents-memory-probe',
  })
  // Errors after the result are irrelevant.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('SELECT 1')
    // A clean disconnect avoids an error in the store's log, but is not worth a long wait.
    await Promise.race([client.end(), pause(500, undefined, { ref: false })])
    return { kind: 'reachable' }
  } catch (error) {
    const code = errorCode(error)
    return {
      kind: refusals[code] ? 'refused' : 'unreachable',
      message: `the store ${refusals[code] ?? 'is not reachable'} (${code})`,
    }
  }
}

/** Messages by SQLSTATE for a store that responds but rejects the connection. */
const refusals: Readonly<Record<string, string>> = {
  '28000': 'refuses this user',
  '28P01': 'refuses this password',
  '3D000': 'has no such database',
}
