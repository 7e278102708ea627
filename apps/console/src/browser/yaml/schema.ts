import { item, type PathStep } from './yaml-place.ts'

/** The part of the schema of a kind that an editor reads. */
export interface KindSchema {
  readonly description?: string
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, KindSchema>>
  readonly additionalProperties?: KindSchema | boolean
  readonly required?: readonly string[]
  readonly items?: KindSchema
  readonly minimum?: number
  readonly maximum?: number
}

const text = { type: 'string' }
const texts = { type: 'object', additionalProperties: text }

/** What people write of the metadata of all kinds, which their schemas leave out. */
const metadata: KindSchema = {
  type: 'object',
  description: 'Name and labels of the object.',
  properties: {
    name: { ...text, description: 'Name of the object, which cannot be changed.' },
    namespace: { ...text, description: 'Namespace of the object, which cannot be changed.' },
    labels: { ...texts, description: 'Short texts by which objects are selected.' },
    annotations: { ...texts, description: 'Texts for programs and people.' },
  },
}

/** The schema of what is edited: the status is written by controllers. */
export function editedSchema(schema: KindSchema): KindSchema {
  const { status: _status, ...properties } = schema.properties ?? {}
  return { ...schema, properties: { ...properties, metadata } }
}

/** The schema at a place; undefined where it says nothing. */
export function schemaAt(root: KindSchema, path: readonly PathStep[]): KindSchema | undefined {
  let at: KindSchema | undefined = root
  for (const step of path) {
    if (step === item) at = at?.items
    else at = ownProperty(at?.properties, step) ?? valuesOf(at)
  }
  return at
}

function ownProperty(properties: KindSchema['properties'], name: string): KindSchema | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined
}

function valuesOf(schema: KindSchema | undefined): KindSchema | undefined {
  const values = schema?.additionalProperties
  return typeof values === 'object' ? values : undefined
}

const words: Readonly<Record<string, string>> = { array: 'list', string: 'text' }

/** What can be written there, in a few words: `text, one of job, workflow`. */
export function typeText(schema: KindSchema): string {
  const { type = 'any value', enum: values, minimum, maximum } = schema
  const range = [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
  ]
  const choice = values === undefined ? [] : [`one of ${values.join(', ')}`]
  const preset = schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]
  return [words[type] ?? type, ...range, ...choice, ...preset].join(', ')
}
