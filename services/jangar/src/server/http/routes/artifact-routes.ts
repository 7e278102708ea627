import type { ArtifactStore } from '@agents/artifact-store'
import { type Artifact, artifact } from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import { type UploadType, uploadPath } from '../../../run-contract/upload-query.ts'
import { ApiError } from '../../api/api-error.ts'
import type { CallerClient } from '../../api/caller-client.ts'
import type { AcceptUpload } from '../../artifacts/accept-upload.ts'
import { addressOf } from '../../artifacts/artifact-content.ts'
import { conditionOf } from '../../kubernetes/condition-of.ts'
import { callerRoute, type Route } from '../route.ts'

/** The store of the platform, and what goes into it. */
export interface ApiArtifacts {
  readonly store: ArtifactStore
  readonly accept: AcceptUpload
  readonly maxBytes: number
}

interface ArtifactPorts {
  /** Undefined if the platform keeps no artifacts. */
  readonly artifacts: ApiArtifacts | undefined
  readonly callerClient: CallerClient
}

const artifactKind = kindRef<Artifact>(artifact)
const octets = 'application/octet-stream'
/** Any name but `.` and `..`, in a form that regular expressions of all languages know. */
const fileNamePattern = (() => {
  const excluded = String.raw`\x00-\x1f\x7f-\x9f/\\`
  return String.raw`^([^${excluded}]*[^.${excluded}][^${excluded}]*|\.{3,})$`
})()
const types = { file: 'File', log: 'Log' } as const

/** What `query` below lets through. */
interface UploadParameters {
  readonly type: UploadType
  readonly name: string
  readonly sha256: string
  readonly sizeBytes: number
  readonly contentType?: string
}

export function artifactRoutes({ artifacts, callerClient }: ArtifactPorts): readonly Route[] {
  return [
    {
      access: 'pod',
      method: 'PUT',
      path: uploadPath,
      id: 'uploadArtifact',
      summary: 'Stores an artifact of the run that the calling pod works for.',
      description:
        'The body is the content. It becomes visible when all of it is stored. The same upload may be repeated.',
      query: {
        type: {
          type: 'string',
          enum: ['file', 'log'],
          description: 'A file that the run declares, or the output of the pod.',
        },
        name: {
          type: 'string',
          minLength: 1,
          maxLength: 200,
          pattern: fileNamePattern,
          description: 'The name of the file among those of the pod.',
        },
        sha256: {
          type: 'string',
          pattern: '^[0-9a-f]{64}$',
          description: 'The digest of the content, in hexadecimal digits.',
        },
        sizeBytes: { type: 'integer', minimum: 0, description: 'The size of the content.' },
        contentType: {
          type: 'string',
          maxLength: 200,
          pattern: '^[\\x20-\\x7e]*$',
          description: 'The media type of the content.',
        },
      },
      body: {
        form: 'stream',
        contentType: octets,
        maxBytes: artifacts?.maxBytes ?? 0,
        schema: { type: 'string', format: 'binary' },
      },
      answers: {
        200: {
          description: 'The content is stored.',
          schema: {
            type: 'object',
            required: ['artifact'],
            properties: { artifact: { type: 'string', description: 'The name of the Artifact.' } },
          },
        },
      },
      handle: async ({ query, stream }, { run, name, uid }) => {
        const { accept } = required(artifacts)
        const given = uploadParameters(query)
        const upload = {
          run,
          pod: { name, uid },
          type: types[given.type],
          name: given.name,
          digest: given.sha256,
          sizeBytes: given.sizeBytes,
          contentType: given.contentType ?? octets,
        }
        return { json: { artifact: await accept(upload, stream) } }
      },
    },
    callerRoute({
      method: 'GET',
      path: '/v1/artifacts/{namespace}/{name}/content',
      id: 'getArtifactContent',
      summary: 'Gets the content of an artifact.',
      description: 'Needs the right to get the Artifact. The content is checked while it is sent.',
      answers: {
        200: {
          description: 'The content. If it is not whole, the connection is cut.',
          contentType: octets,
          schema: { type: 'string', format: 'binary' },
        },
      },
      handle: async ({ path: { namespace = '', name = '' }, signal }, caller) => {
        const found = await callerClient.get(caller, artifactKind, { namespace, name }, signal)
        if (conditionOf(found, 'Stored')?.reason === 'Expired') {
          throw new ApiError('Gone', `the content of artifact ${name} has expired`)
        }
        const address = addressOf(found)
        const content = address && (await required(artifacts).store.get(address))
        if (content === undefined) {
          throw new ApiError('NotFound', `artifact ${name} has no content in the store`)
        }
        const headers = {
          'content-length': String(content.sizeBytes),
          // Files of runs are not for browsers to run.
          'content-disposition': 'attachment',
        }
        return { contentType: octets, headers, chunks: content.body }
      },
    }),
  ]
}

function required(artifacts: ApiArtifacts | undefined): ApiArtifacts {
  if (artifacts === undefined) throw new ApiError('NotFound', 'the platform keeps no artifacts')
  return artifacts
}

function uploadParameters(query: Readonly<Record<string, unknown>>): UploadParameters {
  for (const name of ['type', 'name', 'sha256', 'sizeBytes']) {
    if (query[name] === undefined) {
      throw new ApiError('BadRequest', `the parameter ${name} is required`)
    }
  }
  return query as unknown as UploadParameters
}
