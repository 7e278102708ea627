/*
 * Writes the structure of the built-in resources, as the real API server tells it, to
 * packages/apiserver/src/builtin/generated: names, types, numbers and flags, no prose.
 * Run: node --import ./scripts/require-node.mjs tests/support/testbed/dump-builtin-schemas.ts
 *
 * discovery.json
 *   groupVersions  in the server's order; of a group with several versions the first is preferred
 *   resources      {gv, resource, kind, singular, scope, verbs, short?, categories?, sub?}, where sub is
 *                  {name: {kind?, gv?, verbs}} and gv is there only if it is not the resource's own.
 *
 * schemas.json
 *   packages     short → full package name: definition core.v1.Pod is io.k8s.api.core.v1.Pod in OpenAPI
 *   definitions  id → {gvk?, required?, mapType?, unions?, props} or {gvk?, schema} with a plain OpenAPI schema for
 *                what is no object with properties (Time, Quantity, IntOrString, JSON …). gvk: ['apps/v1/Deployment'].
 *   A property is a type, or [type, {default?, enum?, patch?, mergeKey?, mapType?, listType?}], with
 *     type    = '[' list? ']' type | '{' atomic? '}' type | element '='?
 *     list    = 'atomic' | 'set' | 'map:' key (',' key)*      (x-kubernetes-list-type and -list-map-keys)
 *     element = a definition id (has a dot) | string | boolean | integer | number | object | any |
 *               int32 | int64 | double | byte | date-time     (type and format in one word)
 *   '{}' is a map with string keys, '{atomic}' one with x-kubernetes-map-type. '=' says that the element's default is
 *   the zero value of its type: '', 0, false, {}. default and enum belong to the innermost element. patch and mergeKey
 *   are x-kubernetes-patch-strategy and x-kubernetes-patch-merge-key. expand-schema.ts is the way back.
 *
 * protobuf-fields.json
 *   messages  id → {field number: [name in JSON, type, mark?]}; type is 'T', '[]T' (repeated) or '{}T' (map with string
 *             keys: entries of key 1 and value 2), with T a message id or string, bytes, bool, int32, int64, double.
 *     mark 'inline': the fields of that message stand in the JSON object of this one.
 *     mark 'omit':   Go leaves it out of JSON when zero, though it is always on the wire. Without a mark, a scalar on
 *                    the wire is in the JSON even when zero (it is a pointer, or has no omitempty).
 *   special   id → how a message that is not an object in JSON is written:
 *     time, micro-time  {1: seconds, 2: nanos}; an empty message is no time at all (null)
 *     string            field 1 as it is (Quantity)
 *     int-or-string     {1: 0 for the integer 2 or 1 for the string 3}
 *     raw               field 1 holds JSON text
 *     items             field 1 is the JSON array itself
 *     either            JSONSchemaPropsOr…: {1: schema, 2: array of schemas}, {1: bool, 2: schema},
 *                       {1: schema, 2: strings}
 *
 * go-fields.json
 *   fields  id → {name in JSON: row}, only for what the schema does not tell. A row is mark? type? ('@' path)?
 *     mark '!': Go writes the field even when it is zero: a struct as {}, a list, map or time as null; '?': a pointer
 *               that Go writes as null; '*': a pointer to a scalar, so zero is a value and written. Without a mark a
 *               scalar, list or map is left out when it is empty
 *     type      Go's name of the type, where it is not the plain one of the schema
 *     path      names of the embedded structs that the field stands in, as decoding errors spell them
 *
 * bootstrap-policy.json
 *   kind → objects of rbac.authorization.k8s.io/v1 as they are after the first start, with aggregated rules
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { policyIsAggregated } from './builtin/bootstrap-policy.ts'
import { builtinTables, generatedDirectory } from './builtin/builtin-tables.ts'
import { jsonGetter } from './json-getter.ts'
import { startRealCluster } from './real-cluster.ts'

const cluster = await startRealCluster({ controllerManager: true })
try {
  const get = jsonGetter(cluster)
  while (!(await policyIsAggregated(get))) {
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  await mkdir(generatedDirectory, { recursive: true })
  for (const [file, text] of Object.entries(await builtinTables(get))) {
    await writeFile(join(generatedDirectory, file), text)
  }
} finally {
  await cluster.stop()
}
