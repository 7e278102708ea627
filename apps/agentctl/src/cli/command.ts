import type { CommandContext } from './command-context.ts'

export interface Option {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  /** May be given more than once. */
  readonly multiple?: boolean
  /** Placeholder for the value in the help: `FILE`. */
  readonly value?: string
  /** Allowed values. If omitted, any value is accepted. */
  readonly choices?: readonly string[]
  /** What shell completion offers as its value, beside the choices. */
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
  /** Takes all remaining arguments. Only the last argument can have it. */
  readonly rest?: boolean
  /** What shell completion offers for it. */
  readonly offers?: Offer
}

/** `kind` and `object` follow each other: the object is one of the kind before it. */
export type Offer =
  | 'kind'
  | 'object'
  | 'command'
  | readonly string[]
  /** Names of objects of this kind, by its plural, and of others as `toolrun/NAME`. */
  | { readonly namesOf: string; readonly also?: readonly string[] }

interface Example {
  readonly does: string
  readonly line: string
}

interface Described {
  /** Details below the summary. */
  readonly about?: string
  readonly arguments?: readonly Argument[]
  readonly examples: readonly [Example, ...Example[]]
}

interface CommandDeclaration<O extends Options> extends Described {
  readonly options: O
  /** Resolves to the exit code. */
  run(input: Input<ValuesOf<O>>, context: CommandContext): Promise<number>
}

export interface Input<Values> {
  readonly values: Values
  readonly positionals: readonly string[]
}

interface CommandBody extends Described {
  readonly options: Options
  run(input: Input<Record<string, unknown>>, context: CommandContext): Promise<number>
}

/** A command in the list of commands. Its code is loaded only if it is used, because that takes most of its time. */
export interface ListedCommand {
  readonly name: string
  /** One line, without a full stop. */
  readonly summary: string
  load(): Promise<CommandBody>
}

export interface Command extends CommandBody, Omit<ListedCommand, 'load'> {}

export async function loadCommand({ name, summary, load }: ListedCommand): Promise<Command> {
  return { name, summary, ...(await load()) }
}

export function defineCommand<const O extends Options>(
  declared: CommandDeclaration<O>,
): CommandBody {
  return {
    ...declared,
    // The parser has made the values from these very options.
    run: (input, context) => declared.run(input as Input<ValuesOf<O>>, context),
  }
}
