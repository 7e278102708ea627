import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { at, identity, listAt, type RenderedObject, readManifest } from '@agents/chart-tools'
import { parse } from 'yaml'
import { type ManifestFile, readManifestFiles } from './manifests/manifest-file.ts'
import { runCommand } from './manifests/run-command.ts'

/**
 * Checks the GitOps manifests for Argo CD: the sources of Applications exist and sync safely, overlays build, and their
 * output cannot cause unintended deletions. The argument is the folder, by default argocd. Exits with 1 if there are
 * problems. kubectl and Helm are those of KUBECTL_BIN and HELM_BIN, or from the PATH.
 */

const folder = process.argv[2] ?? 'argocd'
const files = readManifestFiles([folder])
const problems = [
  ...files.flatMap(({ path, errors }) => errors.map((error) => `${path}: ${error}`)),
  ...files.flatMap(applicationProblems),
]
for (const file of files.filter(({ path }) => path.endsWith('kustomization.yaml'))) {
  problems.push(...(await overlayProblems(file)))
}
for (const problem of problems) console.log(problem)
console.log(`argo-lint: ${files.length} files, ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1

function applicationProblems({ path, documents }: ManifestFile): readonly string[] {
  return documents
    .filter((document) => ['Application', 'ApplicationSet'].includes(String(at(document, 'kind'))))
    .flatMap((document) => {
      const set = at(document, 'kind') === 'ApplicationSet'
      const spec = set ? at(document, 'spec', 'template', 'spec') : at(document, 'spec')
      const options = listAt(spec, 'syncPolicy', 'syncOptions').map(String)
      const missing = ['ServerSideApply=true', 'PruneLast=true'].filter(
        (one) => !options.includes(one),
      )
      return [
        ...sourcePaths(document, spec).flatMap((source) =>
          existsSync(source) ? [] : [`${source} does not exist`],
        ),
        ...missing.map((option) => `syncOptions lack ${option}`),
        ...(at(spec, 'destination', 'namespace') === undefined ? ['the namespace is missing'] : []),
      ].map((problem) => `${path}: ${at(document, 'metadata', 'name')}: ${problem}`)
    })
}

/** The paths of the sources; for an ApplicationSet, one for each element of its list generators. */
function sourcePaths(document: unknown, spec: unknown): readonly string[] {
  const path = String(at(spec, 'source', 'path') ?? '(no source.path)')
  if (!path.includes('{{')) return [path]
  const elements = listAt(document, 'spec', 'generators').flatMap((generator) =>
    listAt(generator, 'list', 'elements'),
  )
  return elements.map((element) =>
    path.replaceAll(/\{\{\s*\.?(\w+)\s*\}\}/g, (_, name: string) => String(at(element, name))),
  )
}

async function overlayProblems({ path, documents }: ManifestFile): Promise<readonly string[]> {
  const here = dirname(path)
  const [kustomization] = documents
  const charts = listAt(kustomization, 'helmCharts')
  const home = join(here, String(at(kustomization, 'helmGlobals', 'chartHome') ?? 'charts'))
  const about = charts.flatMap((chart) => chartProblems(chart, home))
  const args = [
    'kustomize',
    '--enable-helm',
    '--helm-command',
    process.env.HELM_BIN ?? 'helm',
    here,
  ]
  const { code, stdout, stderr } = await runCommand(process.env.KUBECTL_BIN ?? 'kubectl', args)
  const built =
    code === 0 ? builtProblems(readManifest(stdout)) : [`kustomize build failed: ${stderr.trim()}`]
  return [...about, ...built].map((problem) => `${relative('.', here)}: ${problem}`)
}

function chartProblems(chart: unknown, home: string): readonly string[] {
  const name = String(at(chart, 'name'))
  const file = join(home, name, 'Chart.yaml')
  if (!existsSync(file)) return [`chart ${join(home, name)} does not exist`]
  const pinned = at(chart, 'version')
  const version = at(parse(readFileSync(file, 'utf8')), 'version')
  return [
    // kustomize uses a local chart without comparing its version.
    ...(pinned !== undefined && pinned !== version
      ? [`it refers to ${name} ${pinned}, but the chart has version ${version}`]
      : []),
    ...(at(chart, 'includeCRDs') === true
      ? []
      : [`${name}: includeCRDs is not true, so definitions are never upgraded`]),
    ...(at(chart, 'skipTests') === true
      ? []
      : [`${name}: skipTests is not true, so test pods would be synced`]),
  ]
}

const hookPhases = ['PreSync', 'Sync', 'PostSync', 'SyncFail', 'PostDelete', 'PreDelete', 'Skip']

function builtProblems(objects: readonly RenderedObject[]): readonly string[] {
  const names = objects.map(identity)
  return [
    ...names
      .filter((name, index) => names.indexOf(name) !== index)
      .map((name) => `${name} stands twice`),
    ...objects.flatMap((object) =>
      objectProblems(object).map((problem) => `${identity(object)}: ${problem}`),
    ),
  ]
}

function objectProblems(object: RenderedObject): readonly string[] {
  const { annotations = {} } = object.metadata
  const hook = annotations['argocd.argoproj.io/hook']
  const wave = annotations['argocd.argoproj.io/sync-wave']
  const options = annotations['argocd.argoproj.io/sync-options']?.split(',') ?? []
  const pods = listAt(object, 'spec', 'template', 'spec', 'containers')
  return [
    ...(object.kind === 'CustomResourceDefinition' && !options.includes('Prune=false')
      ? ['a revert would prune it, and all its custom resources']
      : []),
    ...(hook !== undefined && !hook.split(',').every((phase) => hookPhases.includes(phase))
      ? [`${hook} is not a valid phase`]
      : []),
    ...(wave !== undefined && !/^-?\d+$/.test(wave) ? [`the wave ${wave} is not a number`] : []),
    ...(annotations['helm.sh/hook'] === 'test' ? ['Argo CD would sync this test'] : []),
    ...pods
      .filter((container) => !/@sha256:[a-f0-9]{64}$/.test(String(at(container, 'image'))))
      .map((container) => `${at(container, 'image')} is not pinned by digest`),
    ...(object.metadata.name.endsWith('-controllers') ? migrationProblems(pods) : []),
  ]
}

function migrationProblems(containers: readonly unknown[]): readonly string[] {
  const modes = containers
    .flatMap((container) => listAt(container, 'env'))
    .filter((entry) => at(entry, 'name') === 'JANGAR_MIGRATIONS')
    .map((entry) => at(entry, 'value'))
  return modes.every((mode) => mode === 'skip') ? [] : ['controllers would migrate the database']
}
