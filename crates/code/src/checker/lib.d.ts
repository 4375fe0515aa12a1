/// What a program finds besides `tools`: ECMAScript 2022 without what the sandbox lacks (modules, `eval`, timers,
/// network, weak references, workers, typed arrays, `Intl`). Written by hand and short: it is parsed at every start.

interface Object {
  constructor: Function;
  toString(): string;
  toLocaleString(): string;
  valueOf(): Object;
  hasOwnProperty(key: PropertyKey): boolean;
  isPrototypeOf(value: Object): boolean;
  propertyIsEnumerable(key: PropertyKey): boolean;
}
interface ObjectConstructor {
  new (value?: any): Object;
  (): any;
  (value: any): any;
  readonly prototype: Object;
  assign<T extends {}, U>(target: T, source: U): T & U;
  assign<T extends {}, U, V>(target: T, first: U, second: V): T & U & V;
  assign(target: object, ...sources: any[]): any;
  create(prototype: object | null, properties?: PropertyDescriptorMap): any;
  defineProperty<T>(target: T, key: PropertyKey, descriptor: PropertyDescriptor): T;
  defineProperties<T>(target: T, properties: PropertyDescriptorMap): T;
  entries<T>(value: { [key: string]: T } | ArrayLike<T>): [string, T][];
  entries(value: {}): [string, any][];
  freeze<T>(value: T): Readonly<T>;
  fromEntries<T = any>(entries: Iterable<readonly [PropertyKey, T]>): { [key: string]: T };
  getOwnPropertyDescriptor(value: any, key: PropertyKey): PropertyDescriptor | undefined;
  getOwnPropertyNames(value: any): string[];
  getOwnPropertySymbols(value: any): symbol[];
  getPrototypeOf(value: any): any;
  hasOwn(value: object, key: PropertyKey): boolean;
  groupBy<K extends PropertyKey, T>(items: Iterable<T>, key: (item: T, index: number) => K): Partial<Record<K, T[]>>;
  is(left: any, right: any): boolean;
  isExtensible(value: any): boolean;
  isFrozen(value: any): boolean;
  isSealed(value: any): boolean;
  keys(value: {}): string[];
  preventExtensions<T>(value: T): T;
  seal<T>(value: T): T;
  setPrototypeOf(value: any, prototype: object | null): any;
  values<T>(value: { [key: string]: T } | ArrayLike<T>): T[];
  values(value: {}): any[];
}
declare var Object: ObjectConstructor;

interface PropertyDescriptor {
  configurable?: boolean;
  enumerable?: boolean;
  value?: any;
  writable?: boolean;
  get?(): any;
  set?(value: any): void;
}
interface PropertyDescriptorMap {
  [key: PropertyKey]: PropertyDescriptor;
}
interface TypedPropertyDescriptor<T> {
  configurable?: boolean;
  enumerable?: boolean;
  value?: T;
  writable?: boolean;
  get?: () => T;
  set?: (value: T) => void;
}

interface Function {
  apply(this: Function, self: any, values?: any): any;
  call(this: Function, self: any, ...values: any[]): any;
  bind(this: Function, self: any, ...values: any[]): any;
  toString(): string;
  readonly length: number;
  readonly name: string;
  prototype: any;
}
interface CallableFunction extends Function {
  apply<T, R>(this: (this: T) => R, self: T): R;
  apply<T, A extends any[], R>(this: (this: T, ...values: A) => R, self: T, values: A): R;
  call<T, A extends any[], R>(this: (this: T, ...values: A) => R, self: T, ...values: A): R;
  bind<T>(this: T, self: ThisParameterType<T>): OmitThisParameter<T>;
  bind<T, A extends any[], B extends any[], R>(this: (this: T, ...values: [...A, ...B]) => R, self: T, ...values: A): (...values: B) => R;
}
interface NewableFunction extends Function {}
interface IArguments {
  [index: number]: any;
  length: number;
  [Symbol.iterator](): IterableIterator<any>;
}

type PropertyKey = string | number | symbol;
type Partial<T> = { [K in keyof T]?: T[K] };
type Required<T> = { [K in keyof T]-?: T[K] };
type Readonly<T> = { readonly [K in keyof T]: T[K] };
type Pick<T, K extends keyof T> = { [P in K]: T[P] };
type Record<K extends keyof any, T> = { [P in K]: T };
type Exclude<T, U> = T extends U ? never : T;
type Extract<T, U> = T extends U ? T : never;
type Omit<T, K extends keyof any> = Pick<T, Exclude<keyof T, K>>;
type NonNullable<T> = T & {};
type Parameters<T extends (...values: any) => any> = T extends (...values: infer P) => any ? P : never;
type ConstructorParameters<T extends abstract new (...values: any) => any> = T extends abstract new (...values: infer P) => any ? P : never;
type ReturnType<T extends (...values: any) => any> = T extends (...values: any) => infer R ? R : any;
type InstanceType<T extends abstract new (...values: any) => any> = T extends abstract new (...values: any) => infer R ? R : any;
type Uppercase<S extends string> = intrinsic;
type Lowercase<S extends string> = intrinsic;
type Capitalize<S extends string> = intrinsic;
type Uncapitalize<S extends string> = intrinsic;
type NoInfer<T> = intrinsic;
type ThisParameterType<T> = T extends (this: infer U, ...values: never) => any ? U : unknown;
type OmitThisParameter<T> = unknown extends ThisParameterType<T> ? T : T extends (...values: infer A) => infer R ? (...values: A) => R : T;
interface ThisType<T> {}
type Awaited<T> = T extends null | undefined ? T
  : T extends object & { then(done: infer F, ...rest: infer _): any } ? F extends (value: infer V, ...rest: infer _) => any ? Awaited<V> : never
  : T;

interface Boolean {
  valueOf(): boolean;
}
interface BooleanConstructor {
  new (value?: any): Boolean;
  <T>(value?: T): boolean;
}
declare var Boolean: BooleanConstructor;

interface Symbol {
  toString(): string;
  valueOf(): symbol;
  readonly description: string | undefined;
}
interface SymbolConstructor {
  (description?: string | number): symbol;
  for(key: string): symbol;
  keyFor(symbol: symbol): string | undefined;
  readonly iterator: unique symbol;
  readonly asyncIterator: unique symbol;
  readonly hasInstance: unique symbol;
  readonly toPrimitive: unique symbol;
  readonly toStringTag: unique symbol;
}
declare var Symbol: SymbolConstructor;

interface Number {
  toString(radix?: number): string;
  toFixed(digits?: number): string;
  toExponential(digits?: number): string;
  toPrecision(precision?: number): string;
  toLocaleString(): string;
  valueOf(): number;
}
interface NumberConstructor {
  new (value?: any): Number;
  (value?: any): number;
  readonly MAX_VALUE: number;
  readonly MIN_VALUE: number;
  readonly NaN: number;
  readonly NEGATIVE_INFINITY: number;
  readonly POSITIVE_INFINITY: number;
  readonly EPSILON: number;
  readonly MAX_SAFE_INTEGER: number;
  readonly MIN_SAFE_INTEGER: number;
  isFinite(value: unknown): boolean;
  isInteger(value: unknown): boolean;
  isNaN(value: unknown): boolean;
  isSafeInteger(value: unknown): boolean;
  parseFloat(text: string): number;
  parseInt(text: string, radix?: number): number;
}
declare var Number: NumberConstructor;
declare var NaN: number;
declare var Infinity: number;
declare function parseInt(text: string, radix?: number): number;
declare function parseFloat(text: string): number;
declare function isNaN(value: number): boolean;
declare function isFinite(value: number): boolean;
declare function encodeURIComponent(value: string | number | boolean): string;
declare function decodeURIComponent(text: string): string;
declare function encodeURI(text: string): string;
declare function decodeURI(text: string): string;

interface BigInt {
  toString(radix?: number): string;
  toLocaleString(): string;
  valueOf(): bigint;
}
interface BigIntConstructor {
  (value: bigint | boolean | number | string): bigint;
  asIntN(bits: number, value: bigint): bigint;
  asUintN(bits: number, value: bigint): bigint;
}
declare var BigInt: BigIntConstructor;

interface Math {
  readonly E: number;
  readonly LN10: number;
  readonly LN2: number;
  readonly LOG2E: number;
  readonly LOG10E: number;
  readonly PI: number;
  readonly SQRT1_2: number;
  readonly SQRT2: number;
  abs(x: number): number;
  acos(x: number): number;
  acosh(x: number): number;
  asin(x: number): number;
  asinh(x: number): number;
  atan(x: number): number;
  atanh(x: number): number;
  atan2(y: number, x: number): number;
  cbrt(x: number): number;
  ceil(x: number): number;
  clz32(x: number): number;
  cos(x: number): number;
  cosh(x: number): number;
  exp(x: number): number;
  expm1(x: number): number;
  floor(x: number): number;
  fround(x: number): number;
  hypot(...values: number[]): number;
  imul(x: number, y: number): number;
  log(x: number): number;
  log10(x: number): number;
  log1p(x: number): number;
  log2(x: number): number;
  max(...values: number[]): number;
  min(...values: number[]): number;
  pow(base: number, exponent: number): number;
  random(): number;
  round(x: number): number;
  sign(x: number): number;
  sin(x: number): number;
  sinh(x: number): number;
  sqrt(x: number): number;
  tan(x: number): number;
  tanh(x: number): number;
  trunc(x: number): number;
}
declare var Math: Math;

interface String {
  readonly length: number;
  readonly [index: number]: string;
  [Symbol.iterator](): IterableIterator<string>;
  at(index: number): string | undefined;
  charAt(index: number): string;
  charCodeAt(index: number): number;
  codePointAt(index: number): number | undefined;
  concat(...texts: string[]): string;
  endsWith(text: string, end?: number): boolean;
  includes(text: string, start?: number): boolean;
  indexOf(text: string, start?: number): number;
  lastIndexOf(text: string, start?: number): number;
  localeCompare(other: string): number;
  match(pattern: string | RegExp): RegExpMatchArray | null;
  matchAll(pattern: RegExp): IterableIterator<RegExpExecArray>;
  normalize(form?: "NFC" | "NFD" | "NFKC" | "NFKD"): string;
  padEnd(length: number, fill?: string): string;
  padStart(length: number, fill?: string): string;
  repeat(count: number): string;
  replace(pattern: string | RegExp, replacement: string): string;
  replace(pattern: string | RegExp, replacer: (match: string, ...groups: any[]) => string): string;
  replaceAll(pattern: string | RegExp, replacement: string): string;
  replaceAll(pattern: string | RegExp, replacer: (match: string, ...groups: any[]) => string): string;
  search(pattern: string | RegExp): number;
  slice(start?: number, end?: number): string;
  split(separator: string | RegExp, limit?: number): string[];
  startsWith(text: string, start?: number): boolean;
  substring(start: number, end?: number): string;
  substr(start: number, length?: number): string;
  toLocaleLowerCase(): string;
  toLocaleUpperCase(): string;
  toLowerCase(): string;
  toString(): string;
  toUpperCase(): string;
  trim(): string;
  trimEnd(): string;
  trimStart(): string;
  valueOf(): string;
}
interface StringConstructor {
  new (value?: any): String;
  (value?: any): string;
  fromCharCode(...codes: number[]): string;
  fromCodePoint(...codes: number[]): string;
  raw(template: { raw: readonly string[] | ArrayLike<string> }, ...values: any[]): string;
}
declare var String: StringConstructor;
interface TemplateStringsArray extends ReadonlyArray<string> {
  readonly raw: readonly string[];
}

interface RegExpMatchArray extends Array<string> {
  index?: number;
  input?: string;
  0: string;
  groups?: { [key: string]: string };
}
interface RegExpExecArray extends Array<string> {
  index: number;
  input: string;
  0: string;
  groups?: { [key: string]: string };
}
interface RegExp {
  exec(text: string): RegExpExecArray | null;
  test(text: string): boolean;
  toString(): string;
  readonly source: string;
  readonly flags: string;
  readonly global: boolean;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly sticky: boolean;
  readonly unicode: boolean;
  readonly hasIndices: boolean;
  lastIndex: number;
}
interface RegExpConstructor {
  new (pattern: RegExp | string, flags?: string): RegExp;
  (pattern: RegExp | string, flags?: string): RegExp;
}
declare var RegExp: RegExpConstructor;

interface ArrayLike<T> {
  readonly length: number;
  readonly [index: number]: T;
}
interface ConcatArray<T> extends ArrayLike<T> {
  join(separator?: string): string;
  slice(start?: number, end?: number): T[];
}
interface ReadonlyArray<T> {
  readonly length: number;
  readonly [index: number]: T;
  [Symbol.iterator](): IterableIterator<T>;
  at(index: number): T | undefined;
  concat(...items: (T | ConcatArray<T>)[]): T[];
  entries(): IterableIterator<[number, T]>;
  every<S extends T>(test: (value: T, index: number, array: readonly T[]) => value is S): this is readonly S[];
  every(test: (value: T, index: number, array: readonly T[]) => unknown): boolean;
  filter<S extends T>(test: (value: T, index: number, array: readonly T[]) => value is S): S[];
  filter(test: (value: T, index: number, array: readonly T[]) => unknown): T[];
  find<S extends T>(test: (value: T, index: number, array: readonly T[]) => value is S): S | undefined;
  find(test: (value: T, index: number, array: readonly T[]) => unknown): T | undefined;
  findIndex(test: (value: T, index: number, array: readonly T[]) => unknown): number;
  findLast<S extends T>(test: (value: T, index: number, array: readonly T[]) => value is S): S | undefined;
  findLast(test: (value: T, index: number, array: readonly T[]) => unknown): T | undefined;
  findLastIndex(test: (value: T, index: number, array: readonly T[]) => unknown): number;
  flat<A, D extends number = 1>(this: A, depth?: D): FlatArray<A, D>[];
  flatMap<U>(change: (value: T, index: number, array: readonly T[]) => U | readonly U[]): U[];
  forEach(act: (value: T, index: number, array: readonly T[]) => void): void;
  includes(value: T, start?: number): boolean;
  indexOf(value: T, start?: number): number;
  join(separator?: string): string;
  keys(): IterableIterator<number>;
  lastIndexOf(value: T, start?: number): number;
  map<U>(change: (value: T, index: number, array: readonly T[]) => U): U[];
  reduce(fold: (before: T, value: T, index: number, array: readonly T[]) => T): T;
  reduce(fold: (before: T, value: T, index: number, array: readonly T[]) => T, first: T): T;
  reduce<U>(fold: (before: U, value: T, index: number, array: readonly T[]) => U, first: U): U;
  reduceRight(fold: (before: T, value: T, index: number, array: readonly T[]) => T): T;
  reduceRight<U>(fold: (before: U, value: T, index: number, array: readonly T[]) => U, first: U): U;
  slice(start?: number, end?: number): T[];
  some(test: (value: T, index: number, array: readonly T[]) => unknown): boolean;
  toLocaleString(): string;
  toReversed(): T[];
  toSorted(compare?: (left: T, right: T) => number): T[];
  toSpliced(start: number, remove: number, ...items: T[]): T[];
  toString(): string;
  values(): IterableIterator<T>;
  with(index: number, value: T): T[];
}
interface Array<T> {
  length: number;
  [index: number]: T;
  [Symbol.iterator](): IterableIterator<T>;
  at(index: number): T | undefined;
  concat(...items: (T | ConcatArray<T>)[]): T[];
  copyWithin(target: number, start: number, end?: number): this;
  entries(): IterableIterator<[number, T]>;
  every<S extends T>(test: (value: T, index: number, array: T[]) => value is S): this is S[];
  every(test: (value: T, index: number, array: T[]) => unknown): boolean;
  fill(value: T, start?: number, end?: number): this;
  filter<S extends T>(test: (value: T, index: number, array: T[]) => value is S): S[];
  filter(test: (value: T, index: number, array: T[]) => unknown): T[];
  find<S extends T>(test: (value: T, index: number, array: T[]) => value is S): S | undefined;
  find(test: (value: T, index: number, array: T[]) => unknown): T | undefined;
  findIndex(test: (value: T, index: number, array: T[]) => unknown): number;
  findLast<S extends T>(test: (value: T, index: number, array: T[]) => value is S): S | undefined;
  findLast(test: (value: T, index: number, array: T[]) => unknown): T | undefined;
  findLastIndex(test: (value: T, index: number, array: T[]) => unknown): number;
  flat<A, D extends number = 1>(this: A, depth?: D): FlatArray<A, D>[];
  flatMap<U>(change: (value: T, index: number, array: T[]) => U | readonly U[]): U[];
  forEach(act: (value: T, index: number, array: T[]) => void): void;
  includes(value: T, start?: number): boolean;
  indexOf(value: T, start?: number): number;
  join(separator?: string): string;
  keys(): IterableIterator<number>;
  lastIndexOf(value: T, start?: number): number;
  map<U>(change: (value: T, index: number, array: T[]) => U): U[];
  pop(): T | undefined;
  push(...items: T[]): number;
  reduce(fold: (before: T, value: T, index: number, array: T[]) => T): T;
  reduce(fold: (before: T, value: T, index: number, array: T[]) => T, first: T): T;
  reduce<U>(fold: (before: U, value: T, index: number, array: T[]) => U, first: U): U;
  reduceRight(fold: (before: T, value: T, index: number, array: T[]) => T): T;
  reduceRight<U>(fold: (before: U, value: T, index: number, array: T[]) => U, first: U): U;
  reverse(): T[];
  shift(): T | undefined;
  slice(start?: number, end?: number): T[];
  some(test: (value: T, index: number, array: T[]) => unknown): boolean;
  sort(compare?: (left: T, right: T) => number): this;
  splice(start: number, remove?: number, ...items: T[]): T[];
  toLocaleString(): string;
  toReversed(): T[];
  toSorted(compare?: (left: T, right: T) => number): T[];
  toSpliced(start: number, remove: number, ...items: T[]): T[];
  toString(): string;
  unshift(...items: T[]): number;
  values(): IterableIterator<T>;
  with(index: number, value: T): T[];
}
interface ArrayConstructor {
  new (length?: number): any[];
  new <T>(...items: T[]): T[];
  (length?: number): any[];
  <T>(...items: T[]): T[];
  from<T>(items: Iterable<T> | ArrayLike<T>): T[];
  from<T, U>(items: Iterable<T> | ArrayLike<T>, change: (value: T, index: number) => U): U[];
  isArray(value: any): value is any[];
  of<T>(...items: T[]): T[];
}
declare var Array: ArrayConstructor;
type FlatArray<A, D extends number> = {
  done: A;
  more: A extends readonly (infer I)[] ? FlatArray<I, [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9][D]> : A;
}[D extends -1 ? "done" : "more"];

interface IteratorYieldResult<T> {
  done?: false;
  value: T;
}
interface IteratorReturnResult<T> {
  done: true;
  value: T;
}
type IteratorResult<T, R = any> = IteratorYieldResult<T> | IteratorReturnResult<R>;
interface Iterator<T, R = any, N = any> {
  next(...values: [] | [N]): IteratorResult<T, R>;
  return?(value?: R): IteratorResult<T, R>;
  throw?(error?: any): IteratorResult<T, R>;
}
interface Iterable<T, R = any, N = any> {
  [Symbol.iterator](): Iterator<T, R, N>;
}
interface IterableIterator<T, R = any, N = any> extends Iterator<T, R, N> {
  [Symbol.iterator](): IterableIterator<T, R, N>;
}
interface IteratorObject<T, R = unknown, N = unknown> extends Iterator<T, R, N> {
  [Symbol.iterator](): IteratorObject<T, R, N>;
}
interface Generator<T = unknown, R = any, N = any> extends IteratorObject<T, R, N> {
  next(...values: [] | [N]): IteratorResult<T, R>;
  return(value: R): IteratorResult<T, R>;
  throw(error: any): IteratorResult<T, R>;
  [Symbol.iterator](): Generator<T, R, N>;
}
interface AsyncIterator<T, R = any, N = any> {
  next(...values: [] | [N]): Promise<IteratorResult<T, R>>;
  return?(value?: R | PromiseLike<R>): Promise<IteratorResult<T, R>>;
  throw?(error?: any): Promise<IteratorResult<T, R>>;
}
interface AsyncIterable<T, R = any, N = any> {
  [Symbol.asyncIterator](): AsyncIterator<T, R, N>;
}
interface AsyncIterableIterator<T, R = any, N = any> extends AsyncIterator<T, R, N> {
  [Symbol.asyncIterator](): AsyncIterableIterator<T, R, N>;
}
interface AsyncIteratorObject<T, R = unknown, N = unknown> extends AsyncIterator<T, R, N> {
  [Symbol.asyncIterator](): AsyncIteratorObject<T, R, N>;
}
interface AsyncGenerator<T = unknown, R = any, N = any> extends AsyncIteratorObject<T, R, N> {
  next(...values: [] | [N]): Promise<IteratorResult<T, R>>;
  return(value: R | PromiseLike<R>): Promise<IteratorResult<T, R>>;
  throw(error: any): Promise<IteratorResult<T, R>>;
  [Symbol.asyncIterator](): AsyncGenerator<T, R, N>;
}

interface PromiseLike<T> {
  then<A = T, B = never>(done?: ((value: T) => A | PromiseLike<A>) | null, failed?: ((error: any) => B | PromiseLike<B>) | null): PromiseLike<A | B>;
}
interface Promise<T> {
  then<A = T, B = never>(done?: ((value: T) => A | PromiseLike<A>) | null, failed?: ((error: any) => B | PromiseLike<B>) | null): Promise<A | B>;
  catch<B = never>(failed?: ((error: any) => B | PromiseLike<B>) | null): Promise<T | B>;
  finally(act?: (() => unknown) | null): Promise<T>;
}
interface PromiseFulfilledResult<T> {
  status: "fulfilled";
  value: T;
}
interface PromiseRejectedResult {
  status: "rejected";
  reason: any;
}
type PromiseSettledResult<T> = PromiseFulfilledResult<T> | PromiseRejectedResult;
interface PromiseConstructor {
  new <T>(start: (resolve: (value: T | PromiseLike<T>) => void, reject: (error?: any) => void) => void): Promise<T>;
  all<T extends readonly unknown[] | []>(values: T): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }>;
  all<T>(values: Iterable<T | PromiseLike<T>>): Promise<Awaited<T>[]>;
  allSettled<T extends readonly unknown[] | []>(values: T): Promise<{ -readonly [K in keyof T]: PromiseSettledResult<Awaited<T[K]>> }>;
  allSettled<T>(values: Iterable<T | PromiseLike<T>>): Promise<PromiseSettledResult<Awaited<T>>[]>;
  any<T extends readonly unknown[] | []>(values: T): Promise<Awaited<T[number]>>;
  any<T>(values: Iterable<T | PromiseLike<T>>): Promise<Awaited<T>>;
  race<T extends readonly unknown[] | []>(values: T): Promise<Awaited<T[number]>>;
  race<T>(values: Iterable<T | PromiseLike<T>>): Promise<Awaited<T>>;
  reject<T = never>(error?: any): Promise<T>;
  resolve(): Promise<void>;
  resolve<T>(value: T): Promise<Awaited<T>>;
}
declare var Promise: PromiseConstructor;

interface Map<K, V> {
  readonly size: number;
  [Symbol.iterator](): IterableIterator<[K, V]>;
  clear(): void;
  delete(key: K): boolean;
  entries(): IterableIterator<[K, V]>;
  forEach(act: (value: V, key: K, map: Map<K, V>) => void): void;
  get(key: K): V | undefined;
  has(key: K): boolean;
  keys(): IterableIterator<K>;
  set(key: K, value: V): this;
  values(): IterableIterator<V>;
}
interface MapConstructor {
  new (): Map<any, any>;
  new <K, V>(entries?: Iterable<readonly [K, V]> | null): Map<K, V>;
  groupBy<K, T>(items: Iterable<T>, key: (item: T, index: number) => K): Map<K, T[]>;
}
declare var Map: MapConstructor;
interface ReadonlyMap<K, V> {
  readonly size: number;
  [Symbol.iterator](): IterableIterator<[K, V]>;
  entries(): IterableIterator<[K, V]>;
  forEach(act: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void;
  get(key: K): V | undefined;
  has(key: K): boolean;
  keys(): IterableIterator<K>;
  values(): IterableIterator<V>;
}
interface Set<T> {
  readonly size: number;
  [Symbol.iterator](): IterableIterator<T>;
  add(value: T): this;
  clear(): void;
  delete(value: T): boolean;
  entries(): IterableIterator<[T, T]>;
  forEach(act: (value: T, again: T, set: Set<T>) => void): void;
  has(value: T): boolean;
  keys(): IterableIterator<T>;
  values(): IterableIterator<T>;
}
interface SetConstructor {
  new <T = any>(values?: Iterable<T> | null): Set<T>;
}
declare var Set: SetConstructor;
interface ReadonlySet<T> {
  readonly size: number;
  [Symbol.iterator](): IterableIterator<T>;
  forEach(act: (value: T, again: T, set: ReadonlySet<T>) => void): void;
  has(value: T): boolean;
  values(): IterableIterator<T>;
}
interface WeakMap<K extends object, V> {
  delete(key: K): boolean;
  get(key: K): V | undefined;
  has(key: K): boolean;
  set(key: K, value: V): this;
}
interface WeakMapConstructor {
  new <K extends object = object, V = any>(entries?: Iterable<readonly [K, V]> | null): WeakMap<K, V>;
}
declare var WeakMap: WeakMapConstructor;
interface WeakSet<T extends object> {
  add(value: T): this;
  delete(value: T): boolean;
  has(value: T): boolean;
}
interface WeakSetConstructor {
  new <T extends object = object>(values?: Iterable<T> | null): WeakSet<T>;
}
declare var WeakSet: WeakSetConstructor;

interface Date {
  getDate(): number;
  getDay(): number;
  getFullYear(): number;
  getHours(): number;
  getMilliseconds(): number;
  getMinutes(): number;
  getMonth(): number;
  getSeconds(): number;
  getTime(): number;
  getTimezoneOffset(): number;
  getUTCDate(): number;
  getUTCDay(): number;
  getUTCFullYear(): number;
  getUTCHours(): number;
  getUTCMilliseconds(): number;
  getUTCMinutes(): number;
  getUTCMonth(): number;
  getUTCSeconds(): number;
  setDate(day: number): number;
  setFullYear(year: number, month?: number, day?: number): number;
  setHours(hours: number, minutes?: number, seconds?: number, ms?: number): number;
  setMilliseconds(ms: number): number;
  setMinutes(minutes: number, seconds?: number, ms?: number): number;
  setMonth(month: number, day?: number): number;
  setSeconds(seconds: number, ms?: number): number;
  setTime(time: number): number;
  setUTCDate(day: number): number;
  setUTCFullYear(year: number, month?: number, day?: number): number;
  setUTCHours(hours: number, minutes?: number, seconds?: number, ms?: number): number;
  setUTCMilliseconds(ms: number): number;
  setUTCMinutes(minutes: number, seconds?: number, ms?: number): number;
  setUTCMonth(month: number, day?: number): number;
  setUTCSeconds(seconds: number, ms?: number): number;
  toDateString(): string;
  toISOString(): string;
  toJSON(): string;
  toLocaleDateString(): string;
  toLocaleString(): string;
  toLocaleTimeString(): string;
  toString(): string;
  toTimeString(): string;
  toUTCString(): string;
  valueOf(): number;
}
interface DateConstructor {
  new (): Date;
  new (value: number | string | Date): Date;
  new (year: number, month: number, day?: number, hours?: number, minutes?: number, seconds?: number, ms?: number): Date;
  (): string;
  UTC(year: number, month?: number, day?: number, hours?: number, minutes?: number, seconds?: number, ms?: number): number;
  now(): number;
  parse(text: string): number;
}
declare var Date: DateConstructor;

interface Error {
  name: string;
  message: string;
  stack?: string;
  cause?: unknown;
}
interface ErrorOptions {
  cause?: unknown;
}
interface ErrorConstructor {
  new (message?: string, options?: ErrorOptions): Error;
  (message?: string, options?: ErrorOptions): Error;
  readonly prototype: Error;
}
declare var Error: ErrorConstructor;
interface EvalError extends Error {}
interface RangeError extends Error {}
interface ReferenceError extends Error {}
interface SyntaxError extends Error {}
interface TypeError extends Error {}
interface URIError extends Error {}
interface AggregateError extends Error {
  errors: any[];
}
declare var RangeError: ErrorConstructor;
declare var ReferenceError: ErrorConstructor;
declare var SyntaxError: ErrorConstructor;
declare var TypeError: ErrorConstructor;
declare var URIError: ErrorConstructor;
declare var AggregateError: {
  new (errors: Iterable<any>, message?: string, options?: ErrorOptions): AggregateError;
};

interface JSON {
  parse(text: string, revive?: (this: any, key: string, value: any) => any): any;
  stringify(value: any, replace?: ((this: any, key: string, value: any) => any) | (string | number)[] | null, space?: string | number): string;
}
declare var JSON: JSON;

interface Console {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
  debug(...values: unknown[]): void;
}
declare var console: Console;

/// What a tool gives that does not say what it gives.
interface ToolText {
  output: string;
  exitCode?: number;
}
