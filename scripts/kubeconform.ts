import { at } from '@agents/chart-tools'
import { type Identified, isManifest, readManifestFiles } from './manifests/manifest-file.ts'
import { type SchemaServer, startSchemaServer } from './manifests/schema-server.ts'

/**
 * Validates manifests against the schemas of Kubernetes and of the project's kinds, strictly and without network, by
 * dry runs against an ephemeral API server. Arguments are files, folders, or `-` for standard input. Kinds that the
 * server does not serve are listed, not checked. Exits with 1 if an object is rejected. kubectl is that of KUBECTL_BIN,
 * or from the PATH.
 */

const paths = process.argv.slice(2)
const files = readManifestFiles(paths.length > 0 ? paths : ['argocd', 'charts/agents/examples'])
const server = await startSchemaServer(process.env.KUBECTL_BIN ?? 'kubectl')
try {
  process.exitCode = await check(server)
} finally {
  await server.stop()
}

async function check({ kubectl }: SchemaServer): Promise<number> {
  const served = await servedKinds({ kubectl })
  const manifests = files.map(({ path, documents, errors }) => ({
    path,
    errors,
    objects: documents.filter(isManifest).flatMap((object) => [object, ...podsOf(object)]),
  }))
  const objects = manifests.flatMap((file) => file.objects)
  const known = (object: Identified) => served.has(`${object.apiVersion} ${object.kind}`)
  await createNamespaces({ kubectl }, objects)

  const problems = manifests.flatMap(({ path, errors }) =>
    errors.map((error) => `${path}: ${error}`),
  )
  const all = await dryRun({ kubectl }, objects.filter(known))
  // Finding the rejected objects requires a dry run per file.
  if (all.length > 0) {
    for (const { path, objects: own } of manifests) {
      const refused = await dryRun({ kubectl }, own.filter(known))
      problems.push(...refused.map((line) => `${path}: ${line}`))
    }
    if (problems.length === 0) problems.push(...all)
  }
  for (const problem of problems) console.log(problem)
  const skipped = [...new Set(objects.filter((object) => !known(object)).map(({ kind }) => kind))]
  const note =
    skipped.length > 0 ? `; not checked because no schema exists: ${skipped.join(', ')}` : ''
  console.log(
    `${objects.filter(known).length} objects in ${manifests.length} files, ${problems.length} problems${note}`,
  )
  return problems.length === 0 ? 0 : 1
}

/** The pod of a workload: it is validated more thoroughly than the template. */
function podsOf(object: Identified): readonly Identified[] {
  const job = object.kind === 'CronJob' ? at(object, 'spec', 'jobTemplate') : object
  const template = at(job, 'spec', 'template')
  if (object.kind === 'Pod' || at(template, 'spec', 'containers') === undefined) return []
  const metadata = { ...(at(template, 'metadata') as object), ...names(object) }
  return [{ ...(template as object), apiVersion: 'v1', kind: 'Pod', metadata }]
}

function names({ metadata: { name, namespace } }: Identified) {
  return { name, ...(namespace !== undefined && { namespace }) }
}

async function servedKinds({
  kubectl,
}: Pick<SchemaServer, 'kubectl'>): Promise<ReadonlySet<string>> {
  const { stdout } = await kubectl(['api-resources', '--no-headers'])
  return new Set(
    [...stdout.matchAll(/(\S+)\s+(?:true|false)\s+(\S+)\s*$/gm)].map(
      ([, apiVersion, kind]) => `${apiVersion} ${kind}`,
    ),
  )
}

async function createNamespaces(
  { kubectl }: Pick<SchemaServer, 'kubectl'>,
  objects: readonly Identified[],
): Promise<void> {
  const names = new Set(objects.flatMap(({ metadata }) => metadata?.namespace ?? []))
  const list = [...names].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  }))
  await kubectl(['apply', '--filename', '-'], list.map((one) => JSON.stringify(one)).join('\n'))
}

/** Server-side apply, like Argo CD and Helm 4: the server rejects unknown fields and duplicate names in a list. */
async function dryRun(
  { kubectl }: Pick<SchemaServer, 'kubectl'>,
  objects: readonly Identified[],
): Promise<readonly string[]> {
  if (objects.length === 0) return []
  const args = [
    'apply',
    '--server-side',
    '--force-conflicts',
    '--dry-run=server',
    '--validate=strict',
    '--filename',
    '-',
  ]
  const text = objects.map((object) => JSON.stringify(object)).join('\n')
  const { code, stderr } = await kubectl(args, text)
  return code === 0 ? [] : stderr.trim().split('\n')
}
