/* libFuzzer: any bytes as PTX (tests/fuzz.sh). */
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"

static void require(int condition) {
    if (!condition) abort();
}

/* What users of a module take for granted. */
static void check_operands(const ptx_function *function, const ptx_operand *operands, int count) {
    for (int i = 0; i < count; i++) {
        const ptx_operand *operand = &operands[i];
        require(operand->reg >= -1 && operand->reg < function->register_count);
        if (operand->kind == PTX_OPERAND_REGISTER)
            require(operand->element < (int)function->registers[operand->reg].vector);
        if (operand->kind == PTX_OPERAND_LABEL)
            require(operand->integer >= 0 && operand->integer <= function->instruction_count);
        if (operand->kind == PTX_OPERAND_SYMBOL || operand->kind == PTX_OPERAND_SPECIAL)
            require(strlen(operand->symbol) > 0);
        check_operands(function, operand->elements, operand->element_count);
    }
}

static void check_function(const ptx_function *function) {
    char text[200];
    for (int i = 0; i < function->instruction_count; i++) {
        const ptx_instruction *instruction = &function->instructions[i];
        require(instruction->guard < function->register_count && instruction->location < function->location_count);
        check_operands(function, instruction->operands, instruction->operand_count);
        require(strlen(ptx_format_instruction(function, i, text, sizeof text)) < sizeof text);
    }
    for (int i = 0; i < function->label_count; i++) require(function->labels[i] <= function->instruction_count);
    for (int i = 0; i < function->table_count; i++)
        for (int j = 0; function->tables[i].targets && j < function->tables[i].count; j++)
            require(function->tables[i].targets[j] <= function->instruction_count);
    for (int i = 0; i < function->location_count; i++) require(function->locations[i].inlined_at < i);
}

static void check_variable(const ptx_variable *variable) {
    require(strlen(variable->name) > 0 && variable->align > 0);
    for (int i = 0; i < variable->relocation_count; i++) {
        const ptx_relocation *relocation = &variable->relocations[i];
        require(relocation->offset + relocation->size <= variable->size);
    }
    /* Sanitizers see it when init is shorter. */
    volatile uint8_t last = variable->init && variable->size ? variable->init[variable->size - 1] : 0;
    (void)last;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char error[120] = "";
    ptx_module *module = ptx_parse((const char *)data, size, error, sizeof error);
    require(!module == (strncmp(error, "PTX line ", 9) == 0) && !strchr(error, '\n'));
    if (!module) return 0;
    for (int i = 0; i < module->variable_count; i++) check_variable(&module->variables[i]);
    for (int i = 0; i < module->function_count; i++) check_function(&module->functions[i]);
    ptx_free(module);
    return 0;
}
