/**
 * Evaluates typical CRD rules, compared with another engine on the same expressions. Ours also converts the object
 * through its schema, counts the cost and formats the errors; the other only evaluates. Rounds alternate.
 */

import type { Json, Schema } from '@agents/crd'
import { compileRules } from '@agents/crd'
import { parse } from '@marcbachmann/cel-js'
import { type Measured, measureAlternately } from './crd/measure.ts'

export function run(): void {
  for (const { name, rule } of rules) compare(name, rule)
}

const text: Schema = { type: 'string', maxLength: 63 }
const port: Schema = {
  type: 'object',
  properties: { name: text, port: { type: 'integer' }, protocol: text },
}
const schema: Schema = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    minReplicas: { type: 'integer' },
    host: text,
    ports: { type: 'array', maxItems: 16, items: port },
    labels: { type: 'object', additionalProperties: text },
  },
}

const value: Json = {
  replicas: 5,
  minReplicas: 2,
  host: 'example.com',
  ports: Array.from({ length: 8 }, (_item, index) => ({
    name: `port-${index}`,
    port: 8080 + index,
    protocol: 'TCP',
  })),
  labels: { app: 'web', tier: 'front' },
}

const rules = [
  { name: 'two fields', rule: 'self.minReplicas <= self.replicas' },
  {
    name: 'three clauses over 8 ports',
    rule: "self.minReplicas <= self.replicas && self.ports.all(p, p.port > 0 && p.port < 65536) && self.ports.exists(p, p.protocol == 'TCP')",
  },
  { name: 'a pattern', rule: "!has(self.host) || self.host.matches('^[a-z.]+$')" },
  { name: 'labels', rule: "self.labels.all(k, k.size() < 63) && 'app' in self.labels" },
]

function compare(name: string, rule: string): void {
  const compiled = compileRules(
    { ...schema, 'x-kubernetes-validations': [{ rule }] },
    { resourceRoot: false },
  )
  const other = parse(rule)
  const context = { self: withIntegers(value) }
  const [ours, theirs] = measureAlternately([
    () => {
      if (compiled?.validate(value).length !== 0) throw new Error('the rule does not hold')
    },
    () => {
      if (other(context) !== true) throw new Error('the rule does not hold')
    },
  ])
  if (ours === undefined || theirs === undefined) throw new Error('nothing was measured')
  console.log(`${name}: ${rule}`)
  console.log(`  ours    ${describe(ours)}`)
  console.log(`  cel-js  ${describe(theirs)}`)
  console.log(`  ratio   ${(ours.median / theirs.median).toFixed(2)}`)
}

function withIntegers(json: Json): Json {
  if (typeof json === 'number') return BigInt(json)
  if (Array.isArray(json)) return json.map(withIntegers)
  if (typeof json !== 'object' || json === null) return json
  return Object.fromEntries(Object.entries(json).map(([key, inner]) => [key, withIntegers(inner)]))
}

function describe({ median, low, high }: Measured): string {
  const perSecond = (rate: number) => Math.round(rate).toLocaleString('en-US')
  return `${perSecond(median)}/s median, ${perSecond(low)} to ${perSecond(high)}`
}
