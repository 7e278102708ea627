/**
 * Builds JavaScript source for one schema. Everything that comes from a schema enters the source through `literal`
 * (JSON-encoded) or as a constant that the source only names, so no schema can say anything to the engine.
 */
export interface Program {
  /** Reserves the name of a function, so that it can be called before its body is known. */
  declare(): string
  define(name: string, parameter: string, body: string): void
  /** The name under which the source finds a value. */
  constant(value: unknown): string
  variable(): string
  run(result: string): unknown
}

export function createProgram(): Program {
  const functions: string[] = []
  const constants: unknown[] = []
  let names = 0
  const fresh = (prefix: string) => {
    names += 1
    return `${prefix}${names}`
  }
  return {
    declare: () => fresh('f'),
    define: (name, parameter, body) => {
      functions.push(`function ${name}(${parameter}) {\n${body}\n}`)
    },
    constant: (value) => {
      const known = constants.indexOf(value)
      return `c${known >= 0 ? known : constants.push(value) - 1}`
    },
    variable: () => fresh('x'),
    run: (result) => {
      const bindings = constants.map((_, index) => `const c${index} = constants[${index}];`)
      const source = ['"use strict";', ...bindings, ...functions, `return ${result};`].join('\n')
      return new Function('constants', source)(constants)
    },
  }
}

/** A string, number or boolean as source text. */
export function literal(value: string | number | boolean): string {
  return JSON.stringify(value)
}

const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype))

/** Source that reads a member of an object, or undefined. Names that every object inherits are read with care. */
export function readMember(object: string, name: string): string {
  const access = `${object}[${literal(name)}]`
  return INHERITED.has(name)
    ? `(Object.hasOwn(${object}, ${literal(name)}) ? ${access} : undefined)`
    : access
}

/** Source that writes a member of an object as its own. */
export function writeMember(object: string, name: string, value: string): string {
  if (!INHERITED.has(name)) return `${object}[${literal(name)}] = ${value};`
  const descriptor = `{ value: ${value}, writable: true, enumerable: true, configurable: true }`
  return `Object.defineProperty(${object}, ${literal(name)}, ${descriptor});`
}
