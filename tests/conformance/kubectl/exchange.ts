import { once } from 'node:events'
import { connect } from 'node:net'

/** Sends a text to the port that kubectl forwards, and returns the answer. Undefined while kubectl names no port. */
export function exchangeThrough(output: string, text: string): Promise<string> | undefined {
  const [, port] = /Forwarding from 127\.0\.0\.1:(\d+) -> \d+\n/.exec(output) ?? []
  return port === undefined ? undefined : exchange(Number(port), text)
}

async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.end(text)
  await once(socket, 'close')
  return received
}
