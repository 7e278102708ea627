import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import {
  at,
  checkGateBehaviour,
  checkGateList,
  listValues,
  type RenderedObject,
  readFeatureGates,
  readValueTree,
} from '@agents/chart-tools'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { chart } from '../support/chart/render.ts'

function read(path: string) {
  return readFileSync(join(chart, path), 'utf8')
}

const values: Record<string, unknown> = parse(read('values.yaml'))
const tree = listValues(readValueTree(read('values.yaml')))
const templates = globSync(join(chart, 'templates', '**', '*')).filter((path) =>
  statSync(path).isFile(),
)
const templateText = templates.map((path) => readFileSync(path, 'utf8')).join('\n')

describe('values', () => {
  const validate = new Ajv({ strict: false }).compile(JSON.parse(read('values.schema.json')))

  test('have a schema that accepts the defaults and nothing unknown', () => {
    expect(validate(values)).toBe(true)
    expect(validate({ ...values, bogus: 1 })).toBe(false)
    expect(validate({ ...values, global: { anything: 1 } })).toBe(true)
    expect(validate({ ...values, grpc: { ...(values.grpc as object), bogus: 1 } })).toBe(false)
  })

  test('have the defaults that the schema declares', () => {
    const schema = JSON.parse(read('values.schema.json'))
    const told = (path: readonly string[]) =>
      at(schema, ...path.flatMap((key) => ['properties', key]), 'default')
    const leaves = tree.filter(({ children }) => children.length === 0)
    expect(leaves.length).toBeGreaterThan(300)
    for (const { path } of leaves) expect(told(path), path.join('.')).toEqual(at(values, ...path))
  })

  test('are all described', () => {
    expect(
      tree.filter(({ description }) => description === '').map(({ path }) => path.join('.')),
    ).toEqual([])
  })

  test('that templates read exist', () => {
    const paths = [...templateText.matchAll(/\$?\.(?:root\.)?Values((?:\.[a-z]\w*)+)/g)].map(
      ([, path = '']) => path.slice(1),
    )
    const known = (path: string) =>
      tree.some(({ path: own, children }) => {
        const name = own.join('.')
        return name === path || (children.length === 0 && path.startsWith(`${name}.`))
      })
    expect(paths.length).toBeGreaterThan(100)
    expect([...new Set(paths)].filter((path) => !known(path))).toEqual([])
  })

  test('are all read by a template', () => {
    const unread = tree
      .filter(({ children, path }) => children.length === 0 && path[0] !== 'enabled')
      .map(({ path }) => path)
      .filter((path) => {
        const key = path.at(-1)
        return !new RegExp(`[."]${key}\\b`).test(templateText)
      })
    expect(unread.map((path) => path.join('.'))).toEqual([])
  })

  test('that were removed are not values', () => {
    const gone = Object.keys(parse(read('files/removed-values.yaml')))
    expect(gone.filter((path) => at(values, ...path.split('.')) !== undefined)).toEqual([])
  })
})

describe('definitions', () => {
  const files = globSync(join(chart, 'crds', '*.yaml'))

  test.each(files.map((path) => [basename(path), path] as const))('%s', (_, path) => {
    const crd: RenderedObject = parse(readFileSync(path, 'utf8'))
    expect(crd.metadata.annotations).toMatchObject({
      'helm.sh/resource-policy': 'keep',
      'argocd.argoproj.io/sync-options': 'Prune=false,ServerSideApply=true',
      'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
    })
    const version = ['spec', 'versions', '0']
    expect(at(crd, ...version, 'subresources', 'status')).toEqual({})
    const status = [...version, 'schema', 'openAPIV3Schema', 'properties', 'status']
    expect(at(crd, ...status, 'default')).toEqual({ observedGeneration: -1 })
    expect(statSync(path).size).toBeLessThan(256 * 1024)
  })
})

describe('feature gates', () => {
  const gates = readFeatureGates(read('ci/feature-gates.yaml'))
  const folder = join(chart, 'templates')
  const files = templates
    .map((path) => relative(folder, path))
    .filter((file) => file.endsWith('.yaml') && file !== 'requirements.yaml')

  test('list every template, with flags that are false', () => {
    expect(checkGateList(gates, files, values)).toEqual([])
  })

  test.each([
    {
      because: 'a template that is not listed',
      problems: checkGateList(gates, [...files, 'new.yaml'], values),
      says: /new\.yaml is not listed/,
    },
    {
      because: 'a flag that is true',
      problems: checkGateList(
        { ...gates, gated: { ...gates.gated, 'hpa.yaml': { flag: 'grpc.enabled' } } },
        files,
        values,
      ),
      says: /grpc\.enabled is not false/,
    },
    {
      because: 'a flag that does not exist',
      problems: checkGateList(
        { ...gates, gated: { ...gates.gated, 'hpa.yaml': { flag: 'no.flag' } } },
        files,
        values,
      ),
      says: /no\.flag is not false/,
    },
    {
      because: 'a template that was removed',
      problems: checkGateList(gates, files.slice(1), values),
      says: /does not exist/,
    },
    {
      because: 'a template listed twice',
      problems: checkGateList({ ...gates, core: [...gates.core, 'hpa.yaml'] }, files, values),
      says: /hpa\.yaml is listed twice/,
    },
  ])('notice $because', ({ problems, says }) => {
    expect(problems).toEqual([expect.stringMatching(says)])
  })

  test('notice a flag that gates nothing, and one that enables nothing', async () => {
    const two = {
      core: [],
      gated: { 'a.yaml': { flag: 'a' }, 'b.yaml': { flag: 'b' } },
      defaults: [],
    }
    const always = async () => '# Source: agents/templates/a.yaml\n'
    expect(await checkGateBehaviour(two, always)).toEqual([
      'a.yaml renders objects by default',
      'b.yaml renders nothing with b',
    ])
    const swayed = async (values: unknown) =>
      Object.entries(values as object)
        .map(([flag, value]) => (value ? `# Source: agents/templates/${flag}.yaml\n` : 'x'))
        .join('')
    expect(await checkGateBehaviour(two, swayed)).toEqual([
      'setting flags to false changes the rendering',
    ])
  })
})

test('the chart declares which Kubernetes it needs', () => {
  const definition: Record<string, unknown> = parse(read('Chart.yaml'))
  expect(definition).toMatchObject({ apiVersion: 'v2', name: 'agents', kubeVersion: '>=1.29.0-0' })
  expect(read('README.md')).toContain('Rollback: what is safe to revert')
})

test('the chart lists its definitions and its image in its annotations', () => {
  const definition: Record<string, unknown> = parse(read('Chart.yaml'))
  const listed = (name: string): Record<string, string>[] =>
    parse(String(at(definition, 'annotations', `artifacthub.io/${name}`)))
  const files = globSync(join(chart, 'crds', '*.yaml')).map(
    (path): RenderedObject => parse(readFileSync(path, 'utf8')),
  )
  expect(
    listed('crds')
      .map(({ kind, name, version }) => `${kind} ${name} ${version}`)
      .sort(),
  ).toEqual(
    files
      .map(
        (crd) =>
          `${at(crd, 'spec', 'names', 'kind')} ${crd.metadata.name} ${at(crd, 'spec', 'versions', '0', 'name')}`,
      )
      .sort(),
  )
  const image = `${at(values, 'image', 'repository')}:${definition.appVersion}`
  expect(listed('images')).toEqual([{ name: 'agents', image }])
})

test('every rule of the render is documented once, and no other', () => {
  const page = readFileSync(join(chart, '..', '..', 'docs', 'chart.md'), 'utf8')
  const rulesIn = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, rule = '']) => rule).sort()
  const rules = [...new Set(rulesIn(templateText, /\[(V\d\d)\]$/gm))]
  expect(rules.length).toBeGreaterThan(25)
  expect(rulesIn(page, /^\| (V\d\d) \|/gm)).toEqual(rules)
})

test('every rule of the render is tested', () => {
  const suite = readFileSync(join(import.meta.dirname, 'requirements.test.ts'), 'utf8')
  const rules = [...templateText.matchAll(/\[(V\d\d)\]$/gm)].map(([, rule = '']) => rule)
  expect(
    [...new Set(rules)].filter((rule) => !new RegExp(`'${rule} |\\[${rule}`).test(suite)),
  ).toEqual([])
})
