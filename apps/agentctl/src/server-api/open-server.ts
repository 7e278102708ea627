import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Connection } from '@agents/kube'
import type { ValuesOf } from '../cli/command.ts'
import type { CommandContext } from '../cli/command-context.ts'
import { CommandFailure, usageFailure } from '../cli/command-failure.ts'
import type { ClusterValues } from '../cluster/cluster-options.ts'
import { findLocalApi } from '../local-api/find-local-api.ts'
import type { serverOptions } from './server-options.ts'

export type ServerValues = ClusterValues & ValuesOf<typeof serverOptions>

interface Sent {
  readonly method?: 'GET' | 'POST'
  readonly contentType?: string
  readonly body?: string
}

/** The HTTP API of the platform, asked as the user of the kubeconfig. */
export interface ServerApi {
  /** The answer, whatever its status. */
  fetch(path: string, sent?: Sent): Promise<IncomingMessage>
  /** The answer of success, to be read. */
  open(path: string, sent?: Sent): Promise<IncomingMessage>
  /** The JSON of the answer. */
  json<T>(path: string, sent?: Sent): Promise<T>
}

interface Access {
  readonly url: string
  readonly authorization: string
  readonly ca: string | undefined
}

export async function openServer(
  connection: Connection,
  values: ServerValues,
  context: CommandContext,
): Promise<ServerApi> {
  const api = await findServer(connection, values, context)
  if (api !== undefined) return api
  throw new CommandFailure('the address of the HTTP API of this cluster is not known', {
    advice: ['Give it with --server https://HOST'],
  })
}

/** Undefined for a cluster whose API was not named: its address is not known here. */
export async function findServer(
  connection: Connection,
  values: ServerValues,
  context: CommandContext,
): Promise<ServerApi | undefined> {
  const access = await accessOf(connection, values, context)
  if (access === undefined) return undefined
  const fetch = (path: string, sent: Sent = {}) => send(access, path, sent, context.stop)
  const open = async (path: string, sent?: Sent): Promise<IncomingMessage> => {
    const answer = await fetch(path, sent)
    const { statusCode: status = 0 } = answer
    if (status >= 200 && status < 300) return answer
    throw new CommandFailure(`the API refuses the request: ${reasonIn(await text(answer), status)}`)
  }
  return {
    fetch,
    open,
    json: async <T>(path: string, sent?: Sent) =>
      JSON.parse(await text(await open(path, sent))) as T,
  }
}

async function accessOf(
  connection: Connection,
  values: ServerValues,
  context: CommandContext,
): Promise<Access | undefined> {
  if (values.server === undefined) {
    if (values['server-ca'] !== undefined) throw usageFailure('--server-ca needs --server')
    return findLocalApi(connection, values, context)
  }
  const { authorization } = (await connection.credentials?.current()) ?? {}
  if (authorization === undefined) {
    throw new CommandFailure('the kubeconfig has no token, which the HTTP API needs', {
      advice: ['Use a context of a ServiceAccount: kubectl create token NAME'],
    })
  }
  const file = values['server-ca']
  const ca = file && (await readFile(resolve(context.workingDirectory, file), 'utf8'))
  return { url: originOf(values.server), authorization, ca }
}

/** Only over TLS: the token must reach nobody else. */
function originOf(server: string): string {
  const url = URL.parse(server)
  const isOrigin = url?.pathname === '/' && url.search === '' && url.hash === ''
  if (url?.protocol !== 'https:' || !isOrigin || url.username !== '' || url.password !== '') {
    throw usageFailure('--server must be the address of an API: https://HOST or https://HOST:PORT')
  }
  return url.origin
}

function send(
  { url, authorization, ca }: Access,
  path: string,
  { method = 'GET', contentType, body }: Sent,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers = {
    authorization,
    ...(contentType !== undefined && { 'content-type': contentType }),
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
  }
  const tls = ca === undefined ? {} : { ca }
  return new Promise((found, reject) => {
    request(`${url}${path}`, { method, headers, signal, agent: false, ...tls }, found)
      .on('error', (cause) => reject(unreachable(url, cause)))
      .end(body)
  })
}

function unreachable(url: string, cause: Error): CommandFailure {
  return new CommandFailure(`the API at ${url} cannot be asked: ${cause.message}`, { cause })
}

function reasonIn(answer: string, status: number): string {
  try {
    const { error } = JSON.parse(answer) as { readonly error?: unknown }
    if (typeof error === 'string') return error
  } catch {
    // Something else than the API has answered.
  }
  return `status ${status}`
}

/** A path with those parameters that are given. */
export function pathWith(
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  )
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}
