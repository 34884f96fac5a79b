/* Instructions as text, for messages. */
#include "ptx/ptx.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct writer {
    char *text;
    size_t size, length;
} writer;

__attribute__((format(printf, 2, 3))) static void write_text(writer *w, const char *format, ...) {
    if (w->length + 1 >= w->size) return;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(w->text + w->length, w->size - w->length, format, arguments);
    va_end(arguments);
    w->length += (size_t)length;
    if (w->length >= w->size) w->length = w->size - 1;
}

static void write_operand(writer *w, const ptx_function *function, const ptx_operand *operand);

static void write_operands(writer *w, const ptx_function *function, const ptx_operand *operands, int count,
                           const char *separator) {
    for (int i = 0; i < count; i++) {
        if (i > 0) write_text(w, "%s", separator);
        write_operand(w, function, &operands[i]);
    }
}

static void write_register(writer *w, const ptx_function *function, const ptx_operand *operand) {
    write_text(w, "%s%s", operand->negated ? "!" : "", function->registers[operand->reg].name);
    if (operand->element >= 0) write_text(w, ".%c", "xyzw"[operand->element & 3]);
}

/* [base + offset] without the brackets */
static void write_address(writer *w, const ptx_function *function, const ptx_operand *operand) {
    if (operand->reg >= 0)
        write_register(w, function, operand);
    else if (operand->symbol)
        write_text(w, "%s", operand->symbol);
    const bool has_base = operand->reg >= 0 || operand->symbol;
    if (!has_base || operand->integer != 0)
        write_text(w, has_base && operand->integer > 0 ? "+%lld" : "%lld", (long long)operand->integer);
}

static void write_operand(writer *w, const ptx_function *function, const ptx_operand *operand) {
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        write_register(w, function, operand);
        break;
    case PTX_OPERAND_INTEGER:
        write_text(w, "%lld", (long long)operand->integer);
        break;
    case PTX_OPERAND_FLOAT:
        if (operand->is_double)
            write_text(w, "0d%016llX", (unsigned long long)operand->integer);
        else
            write_text(w, "0f%08X", (unsigned)operand->integer);
        break;
    case PTX_OPERAND_ADDRESS:
        write_text(w, "[");
        write_address(w, function, operand);
        write_text(w, "]");
        break;
    case PTX_OPERAND_SYMBOL:
        write_address(w, function, operand);
        break;
    case PTX_OPERAND_LABEL:
    case PTX_OPERAND_SPECIAL:
        write_text(w, "%s", operand->symbol);
        break;
    case PTX_OPERAND_SINK:
        write_text(w, "_");
        break;
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_LIST: {
        const bool vector = operand->kind == PTX_OPERAND_VECTOR;
        write_text(w, vector ? "{" : "(");
        write_operands(w, function, operand->elements, operand->element_count, ", ");
        write_text(w, vector ? "}" : ")");
        break;
    }
    case PTX_OPERAND_PAIR:
        write_operands(w, function, operand->elements, 2, "|");
        break;
    case PTX_OPERAND_TENSOR:
        write_text(w, "[");
        write_address(w, function, operand->elements);
        write_text(w, ", ");
        write_operands(w, function, operand->elements + 1, operand->element_count - 1, ", ");
        write_text(w, "]");
        break;
    }
}

char *ptx_format_instruction(const ptx_function *function, int index, char *text, size_t size) {
    writer w = {text, size, 0};
    if (size == 0) return text;
    text[0] = '\0';
    const ptx_instruction *instruction = &function->instructions[index];
    if (instruction->guard >= 0)
        write_text(&w, "@%s%s ", instruction->guard_negated ? "!" : "", function->registers[instruction->guard].name);
    write_text(&w, "%s%s", instruction->opcode, instruction->operand_count > 0 ? " " : "");
    write_operands(&w, function, instruction->operands, instruction->operand_count, ", ");
    return text;
}
