import { type Listener, listen } from './listen.ts'

/** Implements as much of the protocol as password authentication and one query need, without TLS. */
export function fakePostgres(password: string): Promise<Listener> {
  return listen((socket) => {
    let hasStarted = false
    let buffer = Buffer.alloc(0)
    const send = (...messages: readonly Buffer[]) => socket.write(Buffer.concat(messages))
    const ready = message('Z', Buffer.from('I'))
    const onMessage = (type: string, body: Buffer): void => {
      if (type === 'X') socket.end()
      if (type === 'Q') send(message('C', Buffer.from('SELECT 1\0')), ready)
      if (type !== 'p') return
      if (body.toString() === `${password}\0`) send(message('R', int32(0)), ready)
      else socket.end(message('E', Buffer.from('SFATAL\0C28P01\0Mwrong password\0\0')))
    }
    const onStart = (code: number): void => {
      if (code === requestForTls) {
        socket.write('N')
        return
      }
      hasStarted = true
      send(message('R', int32(cleartextPassword)))
    }
    socket.on('data', (chunk) => {
      buffer = Buffer.concat([buffer, Buffer.from(chunk)])
      const head = () => (hasStarted ? 1 : 0)
      while (buffer.length >= head() + 4) {
        const end = head() + buffer.readInt32BE(head())
        if (buffer.length < end) return
        const whole = buffer.subarray(0, end)
        buffer = buffer.subarray(end)
        if (hasStarted) onMessage(whole.toString('latin1', 0, 1), whole.subarray(5))
        else onStart(whole.readInt32BE(4))
      }
    })
  })
}

const requestForTls = 80_877_103
const cleartextPassword = 3

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeInt32BE(value)
  return buffer
}
