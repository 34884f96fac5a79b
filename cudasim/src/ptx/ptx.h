/* PTX text -> module: variables, functions, instructions. Nothing here knows what an instruction does.
 *
 * The parser resolves names: registers become indices into their function's list, labels become instruction indices,
 * scopes ({ } of inline assembly repeat labels and register names) are gone. Symbols keep their names, since a
 * variable's address is known only when the module is loaded. PTX ISA 9.0, sections 4 (syntax), 5 (state spaces,
 * types, variables), 6 (operands), 7 (ABI), 11 (directives).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ptx_type {
    PTX_NO_TYPE,
    PTX_PRED,
    PTX_B8,
    PTX_B16,
    PTX_B32,
    PTX_B64,
    PTX_B128,
    PTX_U8,
    PTX_U16,
    PTX_U32,
    PTX_U64,
    PTX_S8,
    PTX_S16,
    PTX_S32,
    PTX_S64,
    PTX_F16,
    PTX_F16X2,
    PTX_BF16,
    PTX_BF16X2,
    PTX_F32,
    PTX_F64
} ptx_type;

/* Bytes of one element; a predicate counts 1. */
unsigned ptx_type_size(ptx_type type);

/* "u32" -> PTX_U32; PTX_NO_TYPE if it is none of them. */
ptx_type ptx_type_named(const char *name, size_t length);

typedef enum ptx_space {
    PTX_NO_SPACE,
    PTX_REG,
    PTX_GLOBAL,
    PTX_CONST,
    PTX_SHARED,
    PTX_LOCAL,
    PTX_PARAM,
    PTX_SHARED_CLUSTER /* of instructions only */
} ptx_space;

/* A place in a variable's initial value that holds the address of another variable or of a function. */
typedef struct ptx_relocation {
    uint64_t offset; /* bytes from the variable's start */
    unsigned size;   /* 4 or 8 */
    const char *symbol;
    int64_t addend;
    bool generic; /* written generic(symbol) */
} ptx_relocation;

typedef struct ptx_variable {
    const char *name;
    ptx_space space;
    ptx_type type;
    unsigned vector; /* 1, 2, 4 */
    uint64_t count;  /* elements (of `vector` values each); 0 for an array without a size, as in extern shared x[] */
    uint64_t size;   /* bytes in all */
    unsigned align;  /* bytes; the natural alignment where none is written */
    bool is_extern, is_visible, is_weak, is_array, is_managed;
    uint8_t *init; /* `size` bytes, or NULL: zeros */
    ptx_relocation *relocations;
    int relocation_count;
    int line; /* of the PTX text */
} ptx_variable;

typedef struct ptx_register {
    const char *name; /* with its %, as written: "%r12" */
    ptx_type type;
    unsigned vector; /* 1; 2 or 4 for .reg .v4 .f32 %v */
} ptx_register;

typedef enum ptx_operand_kind {
    PTX_OPERAND_REGISTER, /* reg (element: 0.. of .x .y .z .w for a vector register, else -1); negated: !%p */
    PTX_OPERAND_INTEGER,  /* integer */
    PTX_OPERAND_FLOAT,    /* 0f: bits in the low half of `integer`, is_double false; 0d or a decimal: a double's bits */
    PTX_OPERAND_ADDRESS,  /* [base + offset], [symbol + offset], [offset]: reg or symbol or neither, integer = offset */
    PTX_OPERAND_SYMBOL,   /* a variable, parameter or function, by name, + integer */
    PTX_OPERAND_LABEL,    /* integer = index of the instruction it stands before */
    PTX_OPERAND_VECTOR,   /* { elements } */
    PTX_OPERAND_SPECIAL,  /* %tid.x, %laneid, ...: symbol = "%tid.x" */
    PTX_OPERAND_SINK,     /* _ */
    PTX_OPERAND_PAIR,     /* d|p: elements[0], elements[1] */
    PTX_OPERAND_LIST,     /* ( a, b ) of a call */
    PTX_OPERAND_TENSOR    /* [map, {coordinates}]: elements[0] is the address operand, elements[1] the vector */
} ptx_operand_kind;

typedef struct ptx_operand {
    ptx_operand_kind kind;
    bool negated; /* !p, or -x before a symbol-free operand is folded into the integer or float */
    bool is_double;
    int reg;     /* index into function->registers, or -1 */
    int element; /* vector element, or -1 */
    int64_t integer;
    const char *symbol;
    struct ptx_operand *elements;
    int element_count;
} ptx_operand;

typedef struct ptx_location {
    int file; /* index into module->files, or -1 */
    int line;
    int inlined_at; /* index into function->locations, or -1 */
} ptx_location;

typedef struct ptx_instruction {
    const char *opcode; /* as written, dots and all: "fma.rn.f32" */
    int guard;          /* predicate register, or -1 */
    bool guard_negated;
    ptx_operand *operands;
    int operand_count;
    int line;            /* of the PTX text, from 1 */
    int location;        /* index into function->locations, or -1 */
    uint32_t used_bytes; /* of a load: the bytes that the program means, a bit each (the rest is padding); 0: all */
    int result;          /* instruction_has_result's: 0: nobody has asked yet, 1: no, 2: yes */
} ptx_instruction;

/* `name: .branchtargets a, b, c;` (instruction indices), `.calltargets f, g;` (names) or `.callprototype ...;` */
typedef struct ptx_table {
    const char *name;
    enum { PTX_BRANCH_TARGETS, PTX_CALL_TARGETS, PTX_CALL_PROTOTYPE } kind;
    int *targets;
    const char **symbols;
    int count;
    ptx_variable *returns, *params; /* of a prototype */
    int return_count, param_count;
} ptx_table;

typedef struct ptx_function {
    const char *name;
    bool is_entry, is_extern, is_visible, is_weak;
    bool has_body;
    ptx_variable *params, *returns;
    int param_count, return_count;
    unsigned maxntid[3], reqntid[3], maxnreg, minnctapersm; /* 0: not given */
    unsigned reqnctapercluster[3], maxclusterrank;
    bool explicitcluster, noreturn;
    ptx_register *registers;
    int register_count;
    ptx_variable *locals; /* .shared, .local, .param, .const, .global declared in the body, in order, renamed apart
                             where scopes repeat a name ("param0" -> "param0@3"); operands use the new names */
    int local_count;
    ptx_instruction *instructions;
    int instruction_count;
    int *labels; /* indices of the instructions that carry a label, ascending, without repeats */
    int label_count;
    ptx_table *tables;
    int table_count;
    ptx_location *locations;
    int location_count;
    int line;
} ptx_function;

typedef struct ptx_module {
    unsigned version_major, version_minor;
    char target[32];       /* "sm_90a" */
    unsigned address_size; /* 64 */
    const char **files;    /* by the numbers of .file; NULL where a number is not used */
    int file_count;
    ptx_variable *variables;
    int variable_count;
    ptx_function *functions;
    int function_count;
    void *storage; /* everything above lives here */
} ptx_module;

/* Parses `length` bytes of text (a final NUL, as fat binaries have it, is allowed and ignored). Returns NULL and one
 * line "PTX line 12: what is wrong" (at most error_size bytes with the NUL) on an unknown directive or a syntax error:
 * undefined label, unknown register, duplicate name, number out of range, unbalanced braces, text that ends early, a
 * PTX version newer than 9.9, an address size other than 64. It does not know opcodes: any word that may be one is
 * kept. Takes time linear in the length, and memory below 40 times it. */
ptx_module *ptx_parse(const char *text, size_t length, char *error, size_t error_size);

void ptx_free(ptx_module *module);

/* The instruction as text ("@%p1 fma.rn.f32 %f3, %f1, %f2, %f3"), for messages; cut to size. Returns `text`. */
char *ptx_format_instruction(const ptx_function *function, int index, char *text, size_t size);
