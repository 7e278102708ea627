import { expect } from 'vitest'
import type { Reply, SignInBed } from './sign-in-bed.ts'
import { signInByForms } from './sign-in-by-forms.ts'

/** What a browser sends when a person signs in, request by request, so that each can be forged. */
export function httpBrowser(bed: SignInBed) {
  const origin = bed.publicUrl
  /** A browser that begins to sign in. */
  const begin = async (plane: 0 | 1 = 0) => {
    const reply = await bed.ask('/v1/sign-in', { method: 'POST', headers: { origin } }, plane)
    expect(reply.status, reply.text).toBe(201)
    const url = reply.json.url as string
    const state = new URL(url).searchParams.get('state') ?? ''
    return { url, state, cookie: cookieIn(reply, 'sign-in'), reply }
  }
  const finish = (answer: string, cookie: string, plane: 0 | 1 = 0): Promise<Reply> => {
    const headers = { origin, ...(cookie !== '' && { cookie }) }
    return bed.ask('/v1/sign-in/finish', { method: 'POST', headers, body: { answer } }, plane)
  }
  const visit = (url: string, name: string): Promise<URL> =>
    signInByForms(url, bed.ca, name, bed.publicUrl)
  const attempt = async (name: string): Promise<Reply> => {
    const { url, cookie } = await begin()
    return await finish((await visit(url, name)).search, cookie)
  }
  /** A browser in which the person has signed in. */
  const signedIn = async (name: string) => {
    const reply = await attempt(name)
    expect(reply.status, reply.text).toBe(201)
    const headers = {
      ...{ origin, cookie: cookieIn(reply), 'x-agents-session': reply.json.proof as string },
    }
    const ask = (path: string, sent: object = {}, plane: 0 | 1 = 0) =>
      bed.ask(path, { ...sent, headers }, plane)
    return { reply, headers, ask }
  }
  return { origin, begin, finish, visit, attempt, signedIn }
}

export type HttpBrowser = ReturnType<typeof httpBrowser>

/** `name=value` of a cookie that a reply sets. */
export function cookieIn({ headers }: Reply, ending = ''): string {
  const pairs = (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0] ?? '')
  const wanted = pairs.find((pair) => pair.split('=')[0]?.endsWith(ending) && !pair.endsWith('='))
  return wanted ?? ''
}
