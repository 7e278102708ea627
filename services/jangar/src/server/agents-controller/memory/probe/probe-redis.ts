import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import {
  readStoreAddress,
  type StoreAddress,
} from '../../../../run-contract/memory/store-address.ts'
import { errorCode, type Probe, type ProbeOutcome } from './probe-outcome.ts'
import { notProbed, resolveStoreHost } from './store-host.ts'
import { withDeadline } from './with-deadline.ts'

/** Authenticates if a password is given, and sends PING. */
export const probeRedis: Probe = async (connection, signal) => {
  const address = readStoreAddress(connection, { redis: 6379, rediss: 6379 })
  if (!address) {
    return { kind: 'invalid', message: 'it is not of the form redis://user:password@host:port' }
  }
  const { host: name, port } = address
  const located = await resolveStoreHost(name)
  if (located.kind !== 'address') return notProbed(located)
  signal.throwIfAborted()
  const { address: host } = located
  const socket =
    address.scheme === 'rediss'
      ? connectTls({ host, port, ...(isIP(name) === 0 && { servername: name }) })
      : connect({ host, port })
  return withDeadline(socket, signal, () => converse(socket, address))
}

async function converse(socket: Socket, { user, password }: StoreAddress): Promise<ProbeOutcome> {
  const signIn = password === '' ? [] : [['AUTH', ...(user === '' ? [] : [user]), password]]
  const commands = [...signIn, ['PING']]
  socket.write(commands.map(encode).join(''))
  try {
    for await (const reply of replies(socket, commands.length)) {
      if (!reply.startsWith('+')) return refusal(reply)
    }
    return { kind: 'reachable' }
  } catch (error) {
    return { kind: 'unreachable', message: `the store is not reachable (${errorCode(error)})` }
  }
}

/** Encodes a command for the protocol: a list of strings, each with its length in bytes. */
function encode(words: readonly string[]): string {
  const strings = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
  return `*${words.length}\r\n${strings.join('')}`
}

const longestReplies = 4096

/** The first lines received. Each reply to these commands is a single line. */
async function* replies(socket: Socket, count: number): AsyncGenerator<string> {
  let text = ''
  let reported = 0
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    text += chunk.toString('latin1')
    if (text.length > longestReplies) break
    const lines = text.split('\r\n')
    text = lines.pop() ?? ''
    for (const line of lines) {
      yield line
      reported += 1
      if (reported === count) return
    }
  }
  throw new Error('the store closed the connection')
}

function refusal(reply: string): ProbeOutcome {
  const code = /^-([A-Z]{2,20})\b/.exec(reply)?.[1]
  if (code === undefined) {
    return { kind: 'unreachable', message: 'the server is not Redis' }
  }
  // ERR in reply to AUTH means that the store has no password.
  const isAboutUs = ['NOAUTH', 'WRONGPASS', 'NOPERM', 'ERR'].includes(code)
  return isAboutUs
    ? { kind: 'refused', message: `the store refuses these credentials (${code})` }
    : { kind: 'unreachable', message: `the store is not ready (${code})` }
}
