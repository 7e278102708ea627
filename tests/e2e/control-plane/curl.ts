import { execFile, spawn } from 'node:child_process'

export interface CurlReply {
  readonly status: number
  /** In lower case. */
  readonly headers: string
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of all routes.
  readonly json: any
}

interface Target {
  /** A file with the authority. */
  readonly ca: string
  readonly url: string
  readonly bearer: string | undefined
}

function flagsOf({ ca, bearer }: Target): string[] {
  const token = bearer === undefined ? [] : ['--header', `Authorization: Bearer ${bearer}`]
  // As it is written: names with dots must reach the server.
  return ['--silent', '--include', '--path-as-is', '--http1.1', '--cacert', ca, ...token]
}

/** Reads a stream with the real program until it is stopped. */
export function curlStream(target: Target) {
  const child = spawn('curl', [...flagsOf(target), '--no-buffer', target.url])
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more
  })
  return { text: () => text, stop: () => void child.kill() }
}

/** Asks with the real program. */
export function curl(target: Target, args: readonly string[]): Promise<CurlReply> {
  const { url } = target
  const all = flagsOf(target)
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: 64 * 1024 * 1024 }
    execFile('curl', [...all, ...args, url], options, (error, stdout) => {
      if (stdout === '') {
        reject(error ?? new Error('curl printed nothing'))
        return
      }
      const end = stdout.indexOf('\r\n\r\n')
      const head = stdout.slice(0, end).toLowerCase()
      const text = stdout.slice(end + 4)
      const isJson = head.includes('content-type: application/json')
      resolve({
        status: Number(/^http\/\S+ (\d+)/.exec(head)?.[1]),
        ...{ headers: head, text, json: isJson ? JSON.parse(text) : undefined },
      })
    })
  })
}
