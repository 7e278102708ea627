import {
  any,
  double,
  type Encode,
  type Field,
  flag,
  integer,
  message,
  named,
  nested,
  repeated,
  text,
  texts,
} from './fields.ts'
import { MessageWriter } from './message-writer.ts'

/** Encodes an OpenAPI v2 document as the message `openapi.v2.Document` of gnostic, which client-go requests. */
export function encodeSwagger(document: object): Buffer {
  const writer = new MessageWriter()
  encodeDocument(writer, document)
  return writer.bytes()
}

/** The keywords of a schema that restrict values, with one number per keyword and message. */
function restrictions(numbers: Readonly<Record<keyof typeof restrictionTypes, number>>) {
  return Object.fromEntries(
    Object.entries(restrictionTypes).map(([key, type]) => [
      key,
      type(numbers[key as keyof typeof restrictionTypes]),
    ]),
  ) as Record<string, Field>
}

const restrictionTypes = {
  format: text,
  default: any,
  maximum: double,
  exclusiveMaximum: flag,
  minimum: double,
  exclusiveMinimum: flag,
  maxLength: integer,
  minLength: integer,
  pattern: text,
  maxItems: integer,
  minItems: integer,
  uniqueItems: flag,
  enum: (number: number) => repeated(any(number)),
  multipleOf: double,
} satisfies Record<string, (number: number) => Field>

function schema(number: number): Field {
  return nested(number, (writer, value) => encodeSchema(writer, value))
}

function encodeType(writer: MessageWriter, value: unknown): void {
  texts(1)(writer, typeof value === 'string' ? [value] : value)
}

function encodeItems(writer: MessageWriter, value: unknown): void {
  repeated(schema(1))(writer, Array.isArray(value) ? value : [value])
}

function encodeAdditionalProperties(writer: MessageWriter, value: unknown): void {
  const field = typeof value === 'boolean' ? flag(2) : schema(1)
  field(writer, value)
}

const encodeSchema: Encode = message(
  {
    $ref: text(1),
    title: text(3),
    description: text(4),
    ...restrictions({
      format: 2,
      default: 5,
      multipleOf: 6,
      maximum: 7,
      exclusiveMaximum: 8,
      minimum: 9,
      exclusiveMinimum: 10,
      maxLength: 11,
      minLength: 12,
      pattern: 13,
      maxItems: 14,
      minItems: 15,
      uniqueItems: 16,
      enum: 20,
    }),
    maxProperties: integer(17),
    minProperties: integer(18),
    required: texts(19),
    additionalProperties: nested(21, encodeAdditionalProperties),
    type: nested(22, encodeType),
    items: nested(23, encodeItems),
    allOf: repeated(schema(24)),
    properties: nested(25, named(1, schema)),
    discriminator: text(26),
    readOnly: flag(27),
    example: any(30),
    externalDocs: nested(29, message({ description: text(1), url: text(2) }, 3)),
  },
  31,
)

const encodeBodyParameter = message(
  {
    description: text(1),
    name: text(2),
    in: text(3),
    required: flag(4),
    schema: schema(5),
  },
  6,
)

const encodePathParameter = message(
  {
    required: flag(1),
    in: text(2),
    description: text(3),
    name: text(4),
    type: text(5),
    ...restrictions({
      format: 6,
      default: 9,
      maximum: 10,
      exclusiveMaximum: 11,
      minimum: 12,
      exclusiveMinimum: 13,
      maxLength: 14,
      minLength: 15,
      pattern: 16,
      maxItems: 17,
      minItems: 18,
      uniqueItems: 19,
      enum: 20,
      multipleOf: 21,
    }),
  },
  22,
)

const encodeQueryParameter = message(
  {
    required: flag(1),
    in: text(2),
    description: text(3),
    name: text(4),
    allowEmptyValue: flag(5),
    type: text(6),
    ...restrictions({
      format: 7,
      default: 10,
      maximum: 11,
      exclusiveMaximum: 12,
      minimum: 13,
      exclusiveMinimum: 14,
      maxLength: 15,
      minLength: 16,
      pattern: 17,
      maxItems: 18,
      minItems: 19,
      uniqueItems: 20,
      enum: 21,
      multipleOf: 22,
    }),
  },
  23,
)

/** A parameter is either a body or one of several messages, by its location. */
function encodeParameter(writer: MessageWriter, value: unknown): void {
  const { in: location } = value as { readonly in?: string }
  if (location === 'body') nested(1, encodeBodyParameter)(writer, value)
  else if (location === 'query') nested(2, nested(3, encodeQueryParameter))(writer, value)
  else if (location === 'path') nested(2, nested(4, encodePathParameter))(writer, value)
  else throw new TypeError(`parameters in ${location} cannot be encoded`)
}

function parameters(number: number): Field {
  return repeated(nested(number, nested(1, encodeParameter)))
}

const encodeResponse = message({ description: text(1), schema: nested(2, schema(1)) }, 5)

const encodeSecurityRequirement: Encode = named(1, (number) => nested(number, texts(1)))

const encodeOperation = message(
  {
    tags: texts(1),
    summary: text(2),
    description: text(3),
    operationId: text(5),
    produces: texts(6),
    consumes: texts(7),
    parameters: parameters(8),
    responses: nested(
      9,
      named(1, (number) => nested(number, nested(1, encodeResponse))),
    ),
    schemes: texts(10),
    deprecated: flag(11),
    security: repeated(nested(12, encodeSecurityRequirement)),
  },
  13,
)

const encodePath = message(
  {
    get: nested(2, encodeOperation),
    put: nested(3, encodeOperation),
    post: nested(4, encodeOperation),
    delete: nested(5, encodeOperation),
    options: nested(6, encodeOperation),
    head: nested(7, encodeOperation),
    patch: nested(8, encodeOperation),
    parameters: parameters(9),
  },
  10,
)

/** The server authenticates by a header alone, so that only one kind of definition exists. */
const encodeSecurityDefinition = nested(
  2,
  message({ type: text(1), name: text(2), in: text(3), description: text(4) }, 5),
)

const encodeDocument = message(
  {
    swagger: text(1),
    info: nested(2, message({ title: text(1), version: text(2), description: text(3) }, 7)),
    paths: nested(
      8,
      named(2, (number) => nested(number, encodePath)),
    ),
    definitions: nested(9, named(1, schema)),
    security: repeated(nested(12, encodeSecurityRequirement)),
    securityDefinitions: nested(
      13,
      named(1, (number) => nested(number, encodeSecurityDefinition)),
    ),
  },
  16,
)
