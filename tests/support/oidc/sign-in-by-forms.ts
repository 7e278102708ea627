import { request } from 'node:https'

interface Page {
  readonly status: number
  readonly location: string | undefined
  readonly text: string
}

/**
 * Signs in at the provider as its pages are used: enters the name, and consents. Resolves to the address to which the
 * provider sends the browser then.
 */
export async function signInByForms(
  url: string,
  ca: string,
  name: string,
  returnsTo: string,
): Promise<URL> {
  const cookies = new Map<string, string>()
  const visit = async (target: string, form?: Record<string, string>): Promise<URL> => {
    const { status, location, text } = await load(target, ca, cookies, form)
    if (location !== undefined) {
      const next = new URL(location, target)
      return next.href.startsWith(returnsTo) ? next : await visit(next.href)
    }
    const [, action] = /action="([^"]+)"/.exec(text) ?? []
    if (status !== 200 || action === undefined) throw new Error(`${target}: ${status} ${text}`)
    const isLogin = text.includes('name="login"')
    const fields = isLogin ? { prompt: 'login', login: name, password: 'x' } : { prompt: 'consent' }
    return await visit(new URL(action, target).href, fields as Record<string, string>)
  }
  return await visit(url)
}

function load(
  url: string,
  ca: string,
  cookies: Map<string, string>,
  form: Record<string, string> | undefined,
): Promise<Page> {
  const body = form && new URLSearchParams(form).toString()
  const headers = {
    cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
  }
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const sent = request(url, { method, headers, ca, agent: false }, (answer) => {
      for (const cookie of answer.headers['set-cookie'] ?? []) {
        const [pair = ''] = cookie.split(';')
        const at = pair.indexOf('=')
        cookies.set(pair.slice(0, at), pair.slice(at + 1))
      }
      let text = ''
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      answer.on('error', reject)
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, location: answer.headers.location, text })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
