import type { World } from './world.ts'

export interface Option {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  /** May be given more than once. */
  readonly multiple?: boolean
  /** What stands for the value in the help: `FILE`. */
  readonly value?: string
  /** The values that there are, where that is known. */
  readonly choices?: readonly string[]
  /** What a shell may offer as its value, beside the choices. */
  readonly offers?: Offer
  readonly help: string
}

export type Options = Readonly<Record<string, Option>>

export type ValuesOf<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends { type: 'boolean' }
    ? boolean
    : O[Name] extends { multiple: true }
      ? readonly string[]
      : string | undefined
}

export interface Argument {
  /** As the help names it: `NAME`. */
  readonly name: string
  readonly optional?: boolean
  /** Takes all that are left. Only the last can. */
  readonly rest?: boolean
  /** What a shell may offer in its place. */
  readonly offers?: Offer
}

/** `kind` and `object` follow each other: the object is one of the kind before it. */
export type Offer =
  | 'kind'
  | 'object'
  | 'command'
  | readonly string[]
  /** Names of objects of this kind, by its plural. */
  | { readonly namesOf: string }

export interface Example {
  readonly does: string
  readonly line: string
}

interface Described {
  readonly name: string
  /** One line, without a full stop. */
  readonly summary: string
  /** What the summary leaves out. */
  readonly about?: string
  readonly arguments?: readonly Argument[]
  readonly examples: readonly [Example, ...Example[]]
}

export interface CommandDeclaration<O extends Options> extends Described {
  readonly options: O
  /** Resolves to the exit code. */
  run(input: Input<ValuesOf<O>>, world: World): Promise<number>
}

export interface Input<Values> {
  readonly values: Values
  readonly positionals: readonly string[]
}

export interface Command extends Described {
  readonly options: Options
  run(input: Input<Record<string, unknown>>, world: World): Promise<number>
}

export function defineCommand<const O extends Options>(declared: CommandDeclaration<O>): Command {
  return {
    ...declared,
    // The parser has made the values from these very options.
    run: (input, world) => declared.run(input as Input<ValuesOf<O>>, world),
  }
}
