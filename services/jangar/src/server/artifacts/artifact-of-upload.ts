import { createHash } from 'node:crypto'
import type { Artifact } from '@agents/jangar-api'
import { formatApiVersion, isControlledBy, type New, type Owner } from '@agents/kube'
import { labels, labelValue } from '../kubernetes/labels.ts'
import { checksumOf, contentLabels } from './artifact-content.ts'

/** The run that a pod works for. */
export interface UploadingRun {
  readonly namespace: string
  readonly group: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  /** The attempt. */
  readonly job: { readonly name: string; readonly uid: string }
}

/** What a pod says about what it uploads. */
export interface Upload {
  readonly run: UploadingRun
  readonly pod: { readonly name: string; readonly uid: string }
  readonly type: 'File' | 'Log'
  readonly name: string
  /** SHA-256 in hexadecimal digits. */
  readonly digest: string
  readonly sizeBytes: number
  readonly contentType: string
}

const longestRunPart = 200

/** The Artifact of an upload. Its name follows from pod and file, so that a repeated upload makes no second one. */
export function artifactOfUpload(upload: Upload, ttlDays: number): New<Artifact> {
  const { run, pod, type, name, digest, sizeBytes, contentType } = upload
  const id = createHash('sha256')
    .update(JSON.stringify([pod.uid, type, name]))
    .digest('hex')
  const checksum = checksumOf(digest)
  return {
    metadata: {
      name: `${run.name.slice(0, longestRunPart).replace(/[.-]+$/, '')}-${id.slice(0, 12)}`,
      namespace: run.namespace,
      labels: { ...runLabels(run), ...contentLabels(digest) },
      ownerReferences: [{ ...kindOf(run), name: run.name, uid: run.uid, controller: true }],
    },
    spec: {
      source: { type, name, pod: pod.name, checksum, sizeBytes, contentType },
      ...(ttlDays > 0 && { lifecycle: { ttlDays } }),
    },
  }
}

type NamedRun = Pick<UploadingRun, 'kind' | 'name'>

export function runSelector(run: NamedRun): string {
  return Object.entries(runLabels(run))
    .map(([name, value]) => `${name}=${value}`)
    .join(',')
}

function runLabels({ kind, name }: NamedRun): Readonly<Record<string, string>> {
  return { [kind === 'ToolRun' ? labels.toolRun : labels.agentRun]: labelValue(name) }
}

/** Whether the run controls the Artifact. Others may make Artifacts that name the run as an owner. */
export function isOf(artifact: Artifact, run: UploadingRun): boolean {
  const { namespace, name, uid } = run
  return isControlledBy(artifact, { ...kindOf(run), metadata: { namespace, name, uid } })
}

function kindOf({ group, kind }: UploadingRun): Pick<Owner, 'apiVersion' | 'kind'> {
  return { apiVersion: formatApiVersion({ group, version: 'v1alpha1' }), kind }
}
