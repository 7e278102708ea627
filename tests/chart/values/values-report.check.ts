import { execFile } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type ChartSnapshot,
  inlineSchema,
  listValues,
  type RemovedValues,
  readValues,
  readValueTree,
  reportValues,
  schemaRefusals,
  type Values,
  valuesSchema,
  withDefaults,
} from '@agents/chart-tools'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { chart } from '../../support/chart/render.ts'
import { runTool } from '../../support/tools/run-tool.ts'

const timeout = 60_000
const valuesText = readFileSync(join(chart, 'values.yaml'), 'utf8')
const gone: RemovedValues = parse(readFileSync(join(chart, 'files/removed-values.yaml'), 'utf8'))
const schemaText = readFileSync(join(chart, 'values.schema.json'), 'utf8')
const schema = JSON.parse(schemaText)
const defaults: Values = parse(valuesText)

function snapshot(valuesSchema: ChartSnapshot['valuesSchema']): ChartSnapshot {
  return {
    profiles: {},
    definitions: [],
    valuesSchema,
    variables: {},
  }
}

/**
 * A possible next release of the chart: one value added, one removed, one renamed, one with another default, one with
 * another type.
 */
const nextSchema = (() => {
  const edits: readonly (readonly [RegExp, string])[] = [
    [/^replicaCount: 1$/m, 'replicaCount: 2'],
    [/^enabled: true$/m, 'enabled: true\n# -- A new one.\nfresh: x'],
    [/(?<=^grpc:\n(?:.*\n)*?)^ {2}host: .*$/m, '  # -- And one in a group.\n  backlog: 5'],
    [/(?<=^metrics:\n(?:.*\n)*?)^ {2}path: .*$/m, '  route: /metrics'],
    [/^( *)# @schema .*\n( *)drainTimeoutSeconds: .*$/m, '$1drainTimeoutSeconds: 25s'],
  ]
  const text = edits.reduce((before, [pattern, replacement]) => {
    expect(before).toMatch(pattern)
    return before.replace(pattern, replacement)
  }, valuesText)
  const removed = { ...gone, 'metrics.path': 'use metrics.route' }
  return JSON.parse(valuesSchema(readValueTree(text), removed))
})()

describe('the values report', () => {
  const { files: _, ...report } = reportValues('0.1.0', snapshot(schema), snapshot(nextSchema), [])

  test('lists values that are new, removed, renamed or changed', () => {
    expect(report).toEqual({
      since: '0.1.0',
      added: [
        { path: 'fresh', default: 'x' },
        { path: 'grpc.backlog', default: 5 },
        { path: 'metrics.route', default: '/metrics' },
      ],
      removed: [{ path: 'grpc.host' }],
      renamed: [{ path: 'metrics.path', instead: 'use metrics.route' }],
      defaults: [
        { path: 'replicaCount', before: 1, after: 2 },
        { path: 'configReload.drainTimeoutSeconds', before: 25, after: '25s' },
      ],
      types: [
        {
          path: 'configReload.drainTimeoutSeconds',
          before: expect.objectContaining({ type: 'integer' }),
          after: { type: 'string' },
        },
      ],
      definitions: [],
    })
  })

  test('finds nothing between a chart and itself', () => {
    const same = reportValues('0.1.0', snapshot(schema), snapshot(schema), [
      { name: 'all', values: defaults },
    ])
    expect(same).toEqual({
      since: '0.1.0',
      added: [],
      removed: [],
      renamed: [],
      defaults: [],
      types: [],
      definitions: [],
      files: [{ file: 'all', refused: [] }],
    })
  })

  test('lists what resources lose when older definitions are restored', () => {
    const definition = (properties: object) => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.dev' },
      spec: {
        versions: [
          {
            name: 'v1',
            schema: { openAPIV3Schema: { type: 'object', properties } },
            storage: true,
          },
        ],
      },
    })
    const before = { ...snapshot(schema), definitions: [definition({})] }
    const after = { ...snapshot(schema), definitions: [definition({ x: { type: 'string' } })] }
    expect(reportValues('0.1.0', before, after, []).definitions).toEqual([
      { subject: 'widgets.example.dev v1 .x', problem: expect.stringContaining('lost') },
    ])
  })
})

function refused(text: string): readonly string[] {
  const files = [{ name: 'mine', values: readValues(text) }]
  const report = reportValues('0.1.0', snapshot(schema), snapshot(nextSchema), files)
  return report.files.flatMap((file) => file.refused.map(({ path }) => path)).toSorted()
}

/** The values that Helm names when a schema rejects them. */
function namedBy(errors: string): readonly string[] {
  return errors
    .split('\n')
    .flatMap((line): string[] => {
      const three = /^- ([^:]+): (.*)$/.exec(line)
      const four = /^ *- at '([^']*)': (.*)$/.exec(line)
      const [, place = '', words = ''] = four ?? three ?? []
      const path = place.replace('(root)', '').replace(/^\//, '').replaceAll('/', '.')
      const join = (name: string) => (path === '' ? name : `${path}.${name}`)
      // Summary lines that precede the details.
      if (/^'?(anyOf|allOf|validation)'? failed|all the schemas/.test(words)) return []
      const named =
        /^Additional property (\S+) is not/.exec(words) ??
        /^(\S+) is required/.exec(words) ??
        /^(?:additional properties|missing propert(?:y|ies)) (.*?)(?: not allowed)?$/.exec(words)
      if (named === null) return path === '' ? [] : [path]
      return (named[1] ?? '').split(', ').map((name) => join(name.replaceAll("'", '')))
    })
    .map((path) => path.replaceAll(/\.(\d+)\b/g, '[$1]'))
}

describe('values that an older chart is reported to refuse', () => {
  const values = `
fresh: y
grpc: {backlog: 9, port: null}
metrics: {route: /metrics}
configReload: {drainTimeoutSeconds: 25s, mode: exit}
replicaCount: "3"
controllers: {enabled: "yes", bogus: null}
image: {digest: sha256:short}
logging: {level: loud}
networkPolicy: {policyTypes: []}
service: {port: 0x1fffff}
env: {extra: [{name: A, value: {}}], vars: {OBJECT: {a: 1}}}
envFromSecretRefs: [{name: a, unknown: 1}]
`

  test.each(['3', '4'] as const)('Helm %s refuses', { timeout }, async (helm) => {
    const args = ['template', 'agents', chart, '--values', '-']
    const { code, stderr } = await runTool(['helm', helm], args, { stdin: values })
    expect(code).not.toBe(0)
    const said = new Set(namedBy(stderr))
    const found = refused(values)
    expect(found.length).toBeGreaterThan(12)
    // For an entry with two alternatives Helm 3 reports only that it matches neither.
    const entry = (path: string) => (helm === '3' ? path.replace(/\].unknown$/, ']') : path)
    expect(found.map(entry).filter((path) => !said.has(path))).toEqual([])
    const known = new Set(found.flatMap((path) => [path, entry(path)]))
    expect([...said].filter((path) => !known.has(path) && !path.startsWith('envFrom'))).toEqual([])
  })

  test('the render refuses, if the schema accepts it', { timeout }, async () => {
    const set = ['--set', 'swarm.enabled=true']
    const { stderr } = await runTool(['helm', '4'], ['template', 'a', chart, ...set])
    expect(stderr).toContain('swarm is no longer a value')
    expect(refused('swarm: {enabled: true}')).toEqual(['swarm'])
  })
})

describe('values that an older chart is reported to accept', () => {
  const values = `
replicaCount: 0
global: {anything: [1]}
enabled: off
configReload: {mode: "off"}
podLabels: null
controlPlane: {replicaCount: null, resources: ~, env: {vars: {A: 1, B: on, C: 12:30:00, D: 2026-01-01}}}
resources: {limits: {memory: null}}
tolerations: null
autoscaling: {targetCPUUtilizationPercentage: null}
kubernetesApi: {port: "6443"}
rolloutChecksums: {values: {secret: {a: ${'0'.repeat(64).replace(/^0/, 'a')}}}}
envFromSecretRefs: [a, {name: b, optional: yes}]
`

  test.each(['3', '4'] as const)('Helm %s renders', { timeout }, async (helm) => {
    expect(refused(values)).toEqual([])
    const args = ['template', 'agents', chart, '--values', '-']
    const result = await runTool(['helm', helm], args, { stdin: values })
    expect(result).toMatchObject({ code: 0, stderr: '' })
    // Parsed as Helm does: YAML 1.1 booleans are booleans, a time is text.
    expect(result.stdout).toMatch(/name: B\n +value: "true"/)
    expect(result.stdout).toMatch(/name: C\n +value: "12:30:00"/)
  })
})

test('values are refused exactly if an independent validator refuses them', () => {
  const validate = new Ajv({ strict: false }).compile(schema)
  const inlined = inlineSchema(schema)
  const paths = listValues(readValueTree(valuesText)).map(({ path }) => path)
  const junk = fc.oneof(
    fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 70_000, '', 'x', 'Always', [], {}, ['a']),
    fc.constantFrom<unknown>([{ name: 'a' }], [{ name: 'A', value: 1 }], { A: 'b' }, { 'a b': {} }),
  )
  const edit = fc.tuple(fc.constantFrom(...paths), fc.option(fc.constant('unknown')), junk)
  const seen = { taken: 0, refused: 0 }
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
      const values = edits.reduce<Values>(
        (all, [path, more, value]) => placed(all, more === null ? path : [...path, more], value),
        {},
      )
      const seenByChart = withDefaults(values, defaults)
      const isTaken = schemaRefusals(inlined, seenByChart).length === 0
      expect(isTaken).toBe(validate(seenByChart))
      seen[isTaken ? 'taken' : 'refused'] += 1
    }),
    { numRuns: 500 },
  )
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(20)
})

function placed(values: Values, [step = '', ...rest]: readonly string[], value: unknown): Values {
  const under = values[step]
  const isMap = typeof under === 'object' && under !== null && !Array.isArray(under)
  return {
    ...values,
    [step]: rest.length === 0 ? value : placed(isMap ? (under as Values) : {}, rest, value),
  }
}

describe('the command', () => {
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agents-report-'))
    cpSync(chart, join(folder, 'chart'), { recursive: true })
    writeFileSync(join(folder, 'chart', 'values.schema.json'), JSON.stringify(nextSchema))
    const older = join(folder, 'chart', 'ci', 'baselines', '0.9.0')
    await mkdir(older)
    writeFileSync(join(older, 'profiles.yaml'), '{}')
    writeFileSync(join(older, 'definitions.jsonl'), '{"metadata": {"name": "x"}}')
    writeFileSync(join(older, 'values-schema.json'), schemaText)
    writeFileSync(join(older, 'variables.yaml'), '{}')
    writeFileSync(join(folder, 'mine.yaml'), 'replicaCount: 3\n')
    writeFileSync(join(folder, 'new.yaml'), 'grpc: {backlog: 1}\n')
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const command = join(chart, '../../packages/chart-tools/src/main/compat-values.ts')
  const run = (...args: string[]) =>
    new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      const full = [command, '--chart', join(folder, 'chart'), '--since', '0.9.0', ...args]
      execFile(process.execPath, full, { cwd: folder }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, stderr }),
      )
    })

  test('reports by text and exit code whether the values can be kept', {
    timeout,
  }, async () => {
    expect(await run('-f', 'mine.yaml')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/replicaCount: 1 -> 2[\s\S]*accepts mine\.yaml/),
    })
  })

  test('reports as JSON, for several files as for one', { timeout }, async () => {
    const { code, stdout } = await run('--json', '-f', 'mine.yaml', '--values', 'new.yaml')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      since: '0.9.0',
      removed: [{ path: 'grpc.host' }],
      files: [
        {
          file: 'mine.yaml + new.yaml',
          refused: [{ path: 'grpc.backlog', problem: 'the value does not exist' }],
        },
      ],
    })
  })

  test('reports clearly that it cannot compare', { timeout }, async () => {
    expect(await run('--since', '7')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('existing ones: 0.9.0, 0.9.1'),
    })
  })
})
