// SPDX-License-Identifier: Apache-2.0
/** What is said about one exporter, by --export or by an entry of `exporters`. */
import type {RecordKind} from '@palisade/ids-wire';

/** `palisade`: the fields of the API; `ecs`: Elastic Common Schema. */
export const SHAPES = ['palisade', 'ecs'] as const;
export type ExportShape = (typeof SHAPES)[number];

export type ExportSettings = {
  /** Of its own among the exporters of a server: its cursor is kept by it. */
  readonly name: string;
  /** Without the parameters that are settings. May hold secrets: shown is `receiver`. */
  readonly url: string;
  /** The URL without user, path and query of an http(s) one. */
  readonly receiver: string;
  /** Of the URL, without the colon: a key of EXPORTERS. */
  readonly scheme: string;
  readonly format: ExportShape;
  readonly kinds: readonly RecordKind[];
  /** AIP-160, valid for each of `kinds`; '': all. */
  readonly filter: string;
  /** Full names, in which `-` stands for a whole part and `*` for any characters of a part; empty: all. */
  readonly endpoints: readonly string[];
  /** Records are sent again when their repeat_count or a decision about them changes. */
  readonly updates: boolean;
  /** Where a new exporter begins. */
  readonly from: 'now' | 'start';
  /** Absolute paths. */
  readonly secretFile?: string | undefined;
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly headersFile?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Options of the scheme (`ExporterKind.options`), as text; checked. */
  readonly options: Readonly<Record<string, string>>;
};

export type ExportFileKey = 'secretFile' | 'caFile' | 'certFile' | 'keyFile' | 'headersFile';
