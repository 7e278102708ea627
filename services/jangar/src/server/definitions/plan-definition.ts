import {
  type CustomResourceDefinition,
  CustomResourceDefinitionKind,
  isConflict,
  isInvalid,
  isNotFound,
  type KubeClient,
  KubeError,
  parseJson,
  resourcePath,
} from '@agents/kube'
import type { DefinitionFile } from './definition-files.ts'
import { lostParts, lostStoredVersions } from './lost-parts.ts'

/** The action for one definition. */
export type DefinitionPlan =
  | { readonly do: 'apply'; readonly force: boolean; readonly isNew: boolean }
  /** The definition in the cluster is newer and compatible with this release. */
  | { readonly do: 'keep'; readonly lost: readonly string[] }
  /** A user must decide. */
  | { readonly do: 'refuse'; readonly because: string }

const crdsFieldManager = 'agents-crds'

/** Plans the action with a dry run, without changing anything. */
export async function planDefinition(
  client: KubeClient,
  file: DefinitionFile,
): Promise<DefinitionPlan> {
  const present = await find(client, file.name)
  const attempt = await rehearse(client, file)
  if ('because' in attempt) return { do: 'refuse', because: attempt.because }
  const { planned, force } = attempt
  if (present === undefined) return { do: 'apply', force, isNew: true }
  const unreadable = lostStoredVersions(present, planned)
  if (unreadable.length > 0) return { do: 'refuse', because: unreadableObjects(unreadable) }
  const lost = lostParts(present, planned)
  return lost.length > 0 ? { do: 'keep', lost } : { do: 'apply', force, isNew: false }
}

/** Applies the file with server-side apply. */
export async function applyDefinition(
  client: Pick<KubeClient, 'request'>,
  { name, yaml }: DefinitionFile,
  options: { readonly force: boolean; readonly dryRun?: boolean },
): Promise<CustomResourceDefinition> {
  const query = new URLSearchParams({ fieldManager: crdsFieldManager, fieldValidation: 'Strict' })
  if (options.force) query.set('force', 'true')
  if (options.dryRun) query.set('dryRun', 'All')
  const { bytes } = await client.request({
    method: 'PATCH',
    path: `${resourcePath(CustomResourceDefinitionKind, { name })}?${query}`,
    body: yaml,
    contentType: 'application/apply-patch+yaml',
  })
  return parseJson(bytes.toString('utf8')) as CustomResourceDefinition
}

export async function find(
  client: Pick<KubeClient, 'get'>,
  name: string,
): Promise<CustomResourceDefinition | undefined> {
  try {
    return await client.get(CustomResourceDefinitionKind, { name })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

type Rehearsal =
  | { readonly planned: CustomResourceDefinition; readonly force: boolean }
  | { readonly because: string }

/** Dry run. Conflicts are forced only against Helm, which installs definitions but never upgrades them. */
async function rehearse(client: KubeClient, file: DefinitionFile): Promise<Rehearsal> {
  try {
    return {
      planned: await applyDefinition(client, file, { force: false, dryRun: true }),
      force: false,
    }
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    const versions = storedVersionsOf(error)
    if (versions.length > 0) return { because: unreadableObjects(versions) }
    const owners = ownersIn(error)
    if (owners.length === 0) throw error
    const others = owners.filter(({ manager }) => !/^helm/i.test(manager))
    if (others.length > 0) return { because: ownedByOthers(others) }
  }
  try {
    return {
      planned: await applyDefinition(client, file, { force: true, dryRun: true }),
      force: true,
    }
  } catch (error) {
    const versions = error instanceof KubeError ? storedVersionsOf(error) : []
    if (versions.length === 0) throw error
    return { because: unreadableObjects(versions) }
  }
}

interface Owner {
  readonly manager: string
  readonly field: string
}

function ownersIn(error: KubeError): readonly Owner[] {
  if (!isConflict(error)) return []
  return error.causes.flatMap(({ message = '', field = '' }) => {
    const [, manager] = /^conflict with "([^"]*)"/.exec(message) ?? []
    return manager === undefined ? [] : [{ manager, field }]
  })
}

/** The versions in the error with which the API server rejects a definition that lacks a stored version. */
function storedVersionsOf(error: KubeError): readonly string[] {
  if (!isInvalid(error)) return []
  return error.causes
    .filter(({ field = '' }) => field.startsWith('status.storedVersions'))
    .map(({ message = '' }) => /"([^"]+)"/.exec(message)?.[1] ?? 'a stored version')
}

function unreadableObjects(versions: readonly string[]): string {
  return `objects may be stored as ${versions.join(', ')}, which the definition of this release does not have, so they would become unreadable. Stay with the newer release, or first migrate the objects and remove the version from status.storedVersions`
}

function ownedByOthers(owners: readonly Owner[]): string {
  const fields = owners.map(({ manager, field }) => `${manager} owns the field ${field}`)
  return `${[...new Set(fields)].join(', ')}. The upgrade replaces only fields that Helm owns. Either let ${[...new Set(owners.map(({ manager }) => manager))].join(' and ')} upgrade the definition and set crds.upgradeJob.enabled to false, or transfer the ownership once with: kubectl apply --server-side --force-conflicts --field-manager=${crdsFieldManager} -f charts/agents/crds`
}
