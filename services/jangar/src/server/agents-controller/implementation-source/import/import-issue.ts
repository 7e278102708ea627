import { type ObjectApi, objectApi } from '@agents/controller'
import type { ImplementationSource, ImplementationSpec } from '@agents/jangar-api'
import {
  isAlreadyExists,
  isNotFound,
  type KubeClient,
  KubeError,
  mergePatch,
  type New,
} from '@agents/kube'
import type { AgentsCaches } from '../../../caches/agents-caches.ts'
import type { SourceIssue } from '../../../inbox/delivery/source-issue.ts'
import { asSpelled, importedSpec, isImported, specName } from './imported-spec.ts'
import { isInScope } from './in-scope.ts'

export interface ImportPorts {
  readonly client: KubeClient
  readonly caches: Pick<AgentsCaches, 'implementationSpecs'>
}

/** What an import did. */
export type Imported = 'created' | 'changed' | 'same' | 'older' | 'ignored'

/** The name belongs to an object that the source did not make, and that it must not change. */
export class NameTaken extends Error {
  override name = 'NameTaken'
}

/**
 * Brings the ImplementationSpec of an issue in line with it. Idempotent; an older version of an issue never replaces a
 * newer one. Throws a Conflict if somebody else writes meanwhile: then it is to be repeated.
 */
export async function importIssue(
  ports: ImportPorts,
  source: ImplementationSource,
  found: SourceIssue,
  { isGone = false, signal }: { readonly isGone?: boolean; readonly signal: AbortSignal },
): Promise<Imported> {
  const issue = asSpelled(source, found)
  const isWanted = issue.state === 'open' && !isGone && isInScope(source.spec, issue)
  const wanted = importedSpec(source, issue, isWanted ? 'Open' : 'Closed')
  const api = objectApi(ports.client, ports.caches.implementationSpecs.kind)
  await closeFormer(ports, source, issue, signal)
  const known = await read(api, wanted.metadata, signal)
  if (known === undefined) {
    // What was never wanted is not imported to be closed.
    if (!isWanted) return 'ignored'
    try {
      await api.create(wanted as New<ImplementationSpec>, signal)
      return 'created'
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      return await importIssue(ports, source, found, { isGone, signal })
    }
  }
  requireOwn(source, known)
  if (issue.version < (known.spec.source?.version ?? '')) return 'older'
  return await change(api, known, wanted, signal)
}

/** An issue that was moved to another team has another identifier, and so another spec. */
async function closeFormer(
  ports: ImportPorts,
  source: ImplementationSource,
  { externalId: own, formerIds = [] }: SourceIssue,
  signal: AbortSignal,
): Promise<void> {
  const api = objectApi(ports.client, ports.caches.implementationSpecs.kind)
  const { namespace } = source.metadata
  for (const externalId of formerIds.filter((id) => id.toLowerCase() !== own.toLowerCase())) {
    const spec = await read(api, { namespace, name: specName(source, { externalId }) }, signal)
    const isOwn = spec !== undefined && isImported(source.metadata.name, spec)
    if (isOwn && spec.spec.source?.state !== 'Closed') {
      await closeSpec(ports, source, spec, signal)
    }
  }
}

/** Closes an imported spec whose issue is no longer listed. */
export async function closeSpec(
  ports: ImportPorts,
  source: ImplementationSource,
  spec: ImplementationSpec,
  signal: AbortSignal,
): Promise<Imported> {
  const api = objectApi(ports.client, ports.caches.implementationSpecs.kind)
  requireOwn(source, spec)
  const { provider } = source.spec
  const closed = {
    ...spec.spec,
    source: { provider, ...spec.spec.source, state: 'Closed' as const },
  }
  return await change(api, spec, { metadata: spec.metadata, spec: closed }, signal)
}

async function change(
  api: ObjectApi<ImplementationSpec>,
  known: ImplementationSpec,
  wanted: Pick<ImplementationSpec, 'metadata' | 'spec'>,
  signal: AbortSignal,
): Promise<Imported> {
  const patch = mergePatch(known.spec, wanted.spec)
  if (patch === undefined) return 'same'
  const { resourceVersion } = known.metadata
  await api.patch(known.metadata, { metadata: { resourceVersion }, spec: patch }, signal)
  return 'changed'
}

/** From the server and not from the cache: the version decides, and must not be an old one. */
async function read(
  api: ObjectApi<ImplementationSpec>,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
  signal: AbortSignal,
): Promise<ImplementationSpec | undefined> {
  try {
    return await api.get({ namespace, name }, signal)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function requireOwn({ metadata }: ImplementationSource, spec: ImplementationSpec): void {
  if (isImported(metadata.name, spec)) return
  const { name } = spec.metadata
  throw new NameTaken(`ImplementationSpec ${name} exists and was not imported by this source`)
}

/** The server refuses the object as it is, however often it is sent. */
export function isRefusal(error: unknown): boolean {
  return error instanceof KubeError && [400, 403, 413, 422].includes(error.code)
}
