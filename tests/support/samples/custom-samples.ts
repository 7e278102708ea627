import { at, plain, type Sample } from './sample.ts'

const group = 'tables.test'
const gadgets = `/apis/${group}/v1/namespaces/default/gadgets`

/** One column for each corner of the path dialect and of the types. */
const gadgetColumns = [
  ['Text', 'string', '.spec.text'],
  ['Number As Text', 'string', '.spec.number'],
  ['Float As Text', 'string', '.spec.float'],
  ['Flag As Text', 'string', '.spec.flag'],
  ['Object As Text', 'string', '.spec.object'],
  ['List As Text', 'string', '.spec.list'],
  ['Null As Text', 'string', '.spec.nothing'],
  ['Integer', 'integer', '.spec.number'],
  ['Integer Of Float', 'integer', '.spec.float'],
  ['Integer Of Text', 'integer', '.spec.text'],
  ['Float', 'number', '.spec.float'],
  ['Float Of Integer', 'number', '.spec.number'],
  ['Flag', 'boolean', '.spec.flag'],
  ['Flag Of Text', 'boolean', '.spec.text'],
  ['Date', 'date', '.spec.when'],
  ['Date Of Text', 'date', '.spec.text'],
  ['Date Of Number', 'date', '.spec.number'],
  ['Age', 'date', '.metadata.creationTimestamp'],
  ['First', 'string', '.spec.list[0]'],
  ['Last', 'string', '.spec.list[-1]'],
  ['Beyond', 'string', '.spec.list[9]'],
  ['All', 'string', '.spec.list[*]'],
  ['Slice', 'string', '.spec.list[1:3]'],
  ['Union', 'string', '.spec.list[2,0]'],
  ['Index Of Object', 'string', '.spec.object[0]'],
  ['Field Of List', 'string', '.spec.list.a'],
  ['Quoted', 'string', ".metadata.annotations['tables\\.test/note']"],
  ['Escaped', 'string', '.metadata.annotations.tables\\.test/note'],
  ['Quoted Dots', 'string', ".metadata.annotations['tables.test/note']"],
  ['Ready', 'string', '.status.conditions[?(@.type=="Ready")].status'],
  ['Single Quotes', 'string', ".status.conditions[?(@.type=='Ready')].status"],
  ['Not Ready', 'string', '.status.conditions[?(@.type!="Ready")].type'],
  ['Greater', 'string', '.status.conditions[?(@.weight>2)].type'],
  ['At Most', 'string', '.status.conditions[?(@.weight<=2)].type'],
  ['Float Filter', 'string', '.status.conditions[?(@.weight>2.5)].type'],
  ['Has', 'string', '.status.conditions[?(@.extra)].type'],
  ['Nobody', 'string', '.status.conditions[?(@.type=="Nope")].status'],
  ['Filter Of Object', 'string', '.spec.object[?(@.a=="b")]'],
  ['Recursive', 'string', '..deep'],
  ['Wild', 'string', '.spec.inner.*'],
  ['Root In The Middle', 'string', '.spec.$.text'],
  ['Missing', 'integer', '.spec.missing'],
].map(([name, type, jsonPath]) => ({ name, type, jsonPath }))

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

function definition(plural: string, kind: string, additionalPrinterColumns?: object[]): Sample {
  return plain('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', `${plural}.${group}`, {
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: anything },
          ...(additionalPrinterColumns === undefined ? {} : { additionalPrinterColumns }),
        },
      ],
    },
  })
}

const brokenColumns = [
  {
    name: 'Good',
    type: 'string',
    jsonPath: '.spec.a',
    priority: 1,
    format: 'password',
    description: 'said',
  },
  { name: 'Broken', type: 'string', jsonPath: '.spec[?(@.a' },
  { name: 'Unseen', type: 'string', jsonPath: '.spec.b' },
]

export const definitionSamples: readonly Sample[] = [
  definition('gadgets', 'Gadget', gadgetColumns),
  definition('plains', 'Plain'),
  definition('brokens', 'Broken', brokenColumns),
]

function custom(
  path: string,
  kind: string,
  name: string,
  rest: object,
  metadata: object = {},
): Sample {
  return plain(path, name, { apiVersion: `${group}/v1`, kind, ...rest }, metadata)
}

export const customSamples: readonly Sample[] = [
  custom(
    gadgets,
    'Gadget',
    'full',
    {
      spec: {
        text: 'a<b',
        number: 42,
        float: 1.75,
        flag: true,
        nothing: null,
        when: at(4000),
        object: { b: '<&>', a: [1, 2.5, null] },
        list: ['x', 'y', 'z'],
        inner: { deep: 'found' },
      },
      status: {
        conditions: [
          { type: 'Ready', status: 'True', weight: 1 },
          { type: 'Synced', status: 'False', weight: 3, extra: '' },
        ],
      },
    },
    { annotations: { 'tables.test/note': 'noted' } },
  ),
  custom(gadgets, 'Gadget', 'empty', {}),
  custom(gadgets, 'Gadget', 'odd', {
    spec: {
      text: '',
      number: 'NaN',
      float: 0.00001,
      flag: 'no',
      when: 'yesterday',
      object: {},
      list: [],
    },
    status: { conditions: [{ type: 1, weight: 'x' }] },
  }),
  custom(gadgets, 'Gadget', 'numbers', {
    spec: { number: 123456789012, float: 1e21, text: 7, when: '', list: [{ a: 1 }] },
    status: { conditions: {} },
  }),
  custom(`/apis/${group}/v1/namespaces/default/plains`, 'Plain', 'one', {}),
  custom(`/apis/${group}/v1/namespaces/default/brokens`, 'Broken', 'one', { spec: { a: 1, b: 2 } }),
]

/** The printer columns of each custom resource, by its plural name. */
export const declaredColumns: Readonly<Record<string, readonly object[] | undefined>> = {
  gadgets: gadgetColumns,
  plains: undefined,
  brokens: brokenColumns,
}
