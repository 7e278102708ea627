import { group } from '@agents/jangar-api'
import { listOf, type MayDo } from '../../api/access/authorizer.ts'
import { ApiError } from '../../api/api-error.ts'
import type { ArchivedRuns } from '../../api/archived-runs.ts'
import { importedRuns } from '../../api/imported-run.ts'
import { timeIn } from '../../api/run-position.ts'
import { runKinds } from '../../api/run-summary.ts'
import { pathParameters } from '../path-pattern.ts'
import { callerRoute, type Route } from '../route.ts'
import { anyKind } from './run-schemas.ts'

interface ArchivePorts {
  readonly archive: ArchivedRuns | undefined
  readonly mayDo: MayDo
}

const jsonLines = 'application/x-ndjson'
/** That of all bodies which are read as they come. */
const octets = 'application/octet-stream'
const largestImport = 16 * 1024 * 1024
/** The right to write history, in a namespace or in the cluster. There are no objects of this name. */
const right = {
  ...{ verb: 'create', group: group.agents, version: 'v1alpha1', resource: 'archivedruns' },
} as const
const time = { type: 'string', format: 'date-time', maxLength: 40 } as const
const count = { type: 'integer', minimum: 0 } as const

/** Moving and saving the archive. */
export function archiveRoutes({ archive, mayDo }: ArchivePorts): readonly Route[] {
  const opened = (): ArchivedRuns => {
    if (archive === undefined) throw new ApiError('NotFound', 'there is no database, so no archive')
    return archive
  }
  return [
    callerRoute({
      method: 'GET',
      path: '/v1/archive',
      id: 'exportArchive',
      summary: 'Exports archived runs as JSON lines, from the oldest to the newest.',
      description:
        'Each line is the whole object of a run. Needs the right to list the runs, of all kinds unless one is named, in the namespace or, without one, in the cluster.',
      query: {
        namespace: { ...pathParameters.namespace, description: 'If omitted, all namespaces.' },
        kind: { ...anyKind, description: 'The kind of run. If omitted, all kinds.' },
        since: { ...time, description: 'Created at this time or later.' },
        until: { ...time, description: 'Created before this time.' },
      },
      answers: {
        200: {
          description: 'The runs. If they are not whole, the connection is cut.',
          contentType: jsonLines,
          schema: { type: 'string' },
        },
      },
      handle: async ({ query: { namespace, kind, since, until } }, caller) => {
        const wanted = runKinds.filter((one) => kind === undefined || one.kind === kind)
        for (const one of wanted) {
          if (await mayDo(caller, listOf(one, namespace))) continue
          const what = `list ${one.kind}s in ${placeOf(namespace)}`
          throw new ApiError('Forbidden', `${caller.username} may not ${what}`)
        }
        const kinds = wanted.map((one) => one.kind)
        const range = { since: timeIn('since', since), until: timeIn('until', until) }
        const lines = opened().export({ kinds, namespace, ...range })
        return { contentType: jsonLines, chunks: await begun(lines) }
      },
    }),
    callerRoute({
      method: 'POST',
      path: '/v1/archive',
      id: 'importArchive',
      summary: 'Imports archived runs from the lines of an export, all or none.',
      description:
        'Runs that are archived already are left as they are, so a request may be repeated. Needs the right to create `archivedruns.agents.proompteng.ai` in the namespace or, without one, in the cluster.',
      query: {
        namespace: {
          ...pathParameters.namespace,
          description: 'Where all of the runs are. If omitted, they may be in any namespace.',
        },
      },
      body: {
        form: 'stream',
        contentType: octets,
        maxBytes: largestImport,
        schema: { type: 'string', format: 'binary' },
      },
      answers: {
        200: {
          description: 'They are archived.',
          schema: {
            type: 'object',
            required: ['imported', 'known'],
            properties: {
              imported: { ...count, description: 'Runs that were added.' },
              known: { ...count, description: 'Runs that were archived before.' },
            },
          },
        },
      },
      handle: async ({ query: { namespace }, stream }, caller) => {
        const act = namespace === undefined ? right : { ...right, namespace }
        if (!(await mayDo(caller, act))) {
          const what = `create ${right.resource}.${right.group} in ${placeOf(namespace)}`
          throw new ApiError('Forbidden', `${caller.username} may not ${what}`)
        }
        const target = opened()
        const runs = importedRuns(await textOf(stream), namespace)
        return { json: await target.import(runs).catch(unavailable) }
      },
    }),
  ]
}

function placeOf(namespace: string | undefined): string {
  return namespace === undefined ? 'the cluster' : `namespace ${namespace}`
}

function unavailable(cause: unknown): never {
  if (cause instanceof ApiError) throw cause
  throw new ApiError('Unavailable', 'the archive does not answer; try again', { cause })
}

/** The lines, of which the first are there: if the archive does not answer, the status says so. */
async function begun(lines: AsyncIterable<string>): Promise<AsyncIterable<string>> {
  const iterator = lines[Symbol.asyncIterator]()
  const first = await iterator.next().catch(unavailable)
  return (async function* () {
    for (let next = first; !next.done; next = await iterator.next()) yield next.value
  })()
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (cause) {
    throw notText(cause)
  }
}

function notText(cause: unknown): ApiError {
  return new ApiError('BadRequest', 'the body is not UTF-8', { cause })
}
