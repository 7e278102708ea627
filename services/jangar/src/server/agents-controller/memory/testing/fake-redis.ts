import { type Listener, listen } from './listen.ts'

/** Implements as much of the protocol as AUTH and PING need, and parses it byte by byte like the real server. */
export function fakeRedis(password: string | undefined): Promise<Listener> {
  return listen((socket) => {
    let isKnown = password === undefined
    let buffer = ''
    const answer = ([command, ...words]: readonly string[]): string => {
      if (command === 'PING') return isKnown ? '+PONG' : '-NOAUTH Authentication required.'
      if (command !== 'AUTH') return '-ERR unknown command'
      if (password === undefined) return '-ERR AUTH called without any password configured'
      isKnown = words.at(-1) === password
      return isKnown ? '+OK' : '-WRONGPASS invalid username-password pair or user is disabled.'
    }
    socket.on('data', (chunk) => {
      buffer += chunk.toString()
      for (let read = readCommand(buffer); read; read = readCommand(buffer)) {
        buffer = buffer.slice(read.size)
        socket.write(`${answer(read.words)}\r\n`)
      }
    })
  })
}

function readCommand(text: string): { words: string[]; size: number } | undefined {
  const [, count = '0'] = /^\*(\d+)\r\n/.exec(text) ?? []
  let at = count.length + 3
  const words: string[] = []
  for (let index = 0; index < Number(count); index += 1) {
    const [head, length] = /^\$(\d+)\r\n/.exec(text.slice(at)) ?? []
    if (head === undefined) return undefined
    const start = at + head.length
    words.push(text.slice(start, start + Number(length)))
    at = start + Number(length) + 2
  }
  return words.length > 0 && at <= text.length ? { words, size: at } : undefined
}
