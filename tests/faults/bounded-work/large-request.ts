import type { Random } from '../fuzz/random.ts'

/** A request whose body is expensive for some part of the server. */
export interface LargeRequest {
  readonly method: string
  readonly target: string
  readonly type: string
  readonly body: Buffer
}

/** Builds a request with about `n` values in its body. */
export type Make = (n: number, random: Random) => LargeRequest

export const json = 'application/json'
export const core = '/api/v1/namespaces/fuzz'
export const configMaps = `${core}/configmaps`
export const widgets = '/apis/fuzz.example.dev/v1/namespaces/fuzz/widgets'
export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** About `length` items, at least one. */
export function list<T>(length: number, item: (index: number) => T): T[] {
  return Array.from({ length: Math.max(1, Math.floor(length)) }, (_, index) => item(index))
}

/** An object with about `length` fields. */
export function keys(
  length: number,
  value: (index: number) => unknown,
  prefix = 'k',
): Record<string, unknown> {
  return Object.fromEntries(list(length, (index) => [`${prefix}${index}`, value(index)] as const))
}

export function send(
  target: string,
  body: unknown,
  { method = 'POST', type = json }: { method?: string; type?: string } = {},
): LargeRequest {
  if (Buffer.isBuffer(body)) return { method, target, type, body }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { method, target, type, body: Buffer.from(text) }
}

export function validation(random: Random): string {
  return random.pick(['Strict', 'Warn', 'Ignore', 'Warn&pretty=true'])
}

/** Most requests are dry runs, so that the store does not grow. */
export function tried(random: Random, target: string): string {
  const fieldValidation = validation(random)
  const dryRun = random.integer(8) === 0 ? '' : '&dryRun=All'
  return `${target}?fieldValidation=${fieldValidation}${dryRun}`
}

export function patch(target: string, form: string, body: unknown): LargeRequest {
  return send(target, body, { method: 'PATCH', type: `application/${form}` })
}
