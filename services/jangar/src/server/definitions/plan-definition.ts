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

/** What is to be done about one definition. */
export type DefinitionPlan =
  | { readonly do: 'apply'; readonly force: boolean; readonly isNew: boolean }
  /** What the cluster has is newer, and serves this release too. */
  | { readonly do: 'keep'; readonly lost: readonly string[] }
  /** Only a person can decide. */
  | { readonly do: 'refuse'; readonly because: string }

const FIELD_MANAGER = 'agents-crds'

/** Asks the API server what would come of it, and changes nothing. */
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

/** Server-side apply of the text as it is. */
export async function applyDefinition(
  client: Pick<KubeClient, 'request'>,
  { name, yaml }: DefinitionFile,
  options: { readonly force: boolean; readonly dryRun?: boolean },
): Promise<CustomResourceDefinition> {
  const query = new URLSearchParams({ fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' })
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

/** By force only against Helm, which installs definitions and never looks at them again. */
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

/** The API server itself refuses a definition without a version that objects are stored in. */
function storedVersionsOf(error: KubeError): readonly string[] {
  if (!isInvalid(error)) return []
  return error.causes
    .filter(({ field = '' }) => field.startsWith('status.storedVersions'))
    .map(({ message = '' }) => /"([^"]+)"/.exec(message)?.[1] ?? 'a version that is stored')
}

function unreadableObjects(versions: readonly string[]): string {
  return `objects may be stored as ${versions.join(', ')}, which the definition of this release does not have; nobody could read them any more. Stay with the newer release, or migrate the objects and take the version out of status.storedVersions first`
}

function ownedByOthers(owners: readonly Owner[]): string {
  const fields = owners.map(({ manager, field }) => `${field} belongs to ${manager}`)
  return `${[...new Set(fields)].join(', ')}; only what Helm owns is taken over. Let ${[...new Set(owners.map(({ manager }) => manager))].join(' and ')} upgrade it and set crds.upgradeJob.enabled to false, or hand it over once with: kubectl apply --server-side --force-conflicts --field-manager=${FIELD_MANAGER} -f charts/agents/crds`
}
