import { execFile } from 'node:child_process'

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

/** Asks with the real program. A stream that ends by `--max-time` is a reply, too. */
export function curl({ ca, url, bearer }: Target, args: readonly string[]): Promise<CurlReply> {
  const token = bearer === undefined ? [] : ['--header', `Authorization: Bearer ${bearer}`]
  // As it is written: names with dots must reach the server.
  const all = ['--silent', '--include', '--path-as-is', '--http1.1', '--cacert', ca, ...token]
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
