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
  cookies = new Map<string, string>(),
): Promise<URL> {
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

/** Opens the address as a browser with these cookies does, and confirms to sign out. Resolves to where it ends. */
export async function signOutByForms(
  url: string,
  ca: string,
  cookies: Map<string, string>,
): Promise<{ readonly status: number; readonly location: string | undefined }> {
  const { status, location, text } = await load(url, ca, cookies, undefined)
  const [, action] = /action="([^"]+)"/.exec(text) ?? []
  if (status !== 200 || action === undefined) return { status, location }
  const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(text) ?? []
  return await load(new URL(action, url).href, ca, cookies, { xsrf, logout: 'yes' })
}

/** Whether somebody who opens the address to sign in has to say who they are. */
export async function asksForName(
  url: string,
  ca: string,
  cookies: Map<string, string>,
): Promise<boolean> {
  const { location, text } = await load(url, ca, cookies, undefined)
  if (location === undefined) return text.includes('name="login"')
  const next = new URL(location, url)
  return next.origin === new URL(url).origin ? await asksForName(next.href, ca, cookies) : false
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
