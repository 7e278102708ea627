/**
 * Builds JavaScript source for one schema. Values from a schema enter the source only through `literal` (JSON-encoded)
 * or as a constant that the source refers to by name, so that a schema cannot inject code.
 */
export interface Program {
  /** Reserves the name of a function, so that it can be called before it is defined. */
  declare(): string
  define(name: string, parameter: string, body: string): void
  /** Adds a constant. Returns its name in the source. */
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

const inheritedNames: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype))

/** Source that reads an own member of an object, or undefined. Names that every object inherits need an extra check. */
export function readMember(object: string, name: string): string {
  const access = `${object}[${literal(name)}]`
  return inheritedNames.has(name)
    ? `(Object.hasOwn(${object}, ${literal(name)}) ? ${access} : undefined)`
    : access
}

/** Source that writes an own member of an object. */
export function writeMember(object: string, name: string, value: string): string {
  if (!inheritedNames.has(name)) return `${object}[${literal(name)}] = ${value};`
  const descriptor = `{ value: ${value}, writable: true, enumerable: true, configurable: true }`
  return `Object.defineProperty(${object}, ${literal(name)}, ${descriptor});`
}
