import type { Duplex } from 'node:stream'

const longestMs = 5000

/**
 * Ends a connection after its last bytes. What the peer still sends is read and discarded: closing a socket with unread
 * input resets the connection, and the peer could lose the end of what it was sent.
 */
export function endGently(socket: Duplex): void {
  if (socket.destroyed) return
  const late = setTimeout(() => socket.destroy(), longestMs)
  late.unref()
  socket.once('close', () => clearTimeout(late))
  socket.on('error', () => undefined)
  socket.end()
  socket.resume()
}
