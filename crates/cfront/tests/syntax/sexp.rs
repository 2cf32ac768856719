//! A compact printer of the tree. A type reads from the name outwards: `a:[3]*int`.

use raddle_cfront::ast::*;

pub fn unit(unit: &Unit) -> String {
    join(&unit.items, "\n", |item| match item {
        Item::Function(function) => self::function(function),
        Item::Declaration(declaration) => self::declaration(declaration),
        Item::Asm(asm) => self::asm(asm),
    })
}

fn join<T>(list: &[T], between: &str, show: impl Fn(&T) -> String) -> String {
    list.iter().map(show).collect::<Vec<_>>().join(between)
}

fn function(function: &Function) -> String {
    let old: String =
        function.old_style.iter().map(|one| format!(" {}", declaration(one))).collect();
    let head = declared(&function.specifiers, &function.declarator);
    let extra = extra(&function.specifiers);
    let body: String = function.body.items.iter().map(|one| format!(" {}", stmt(one))).collect();
    format!("(func {extra}{head}{old}{body})")
}

fn declaration(declaration: &Declaration) -> String {
    match declaration {
        Declaration::Of { specifiers, declarators, .. } if declarators.is_empty() => {
            format!("(type {}{})", extra(specifiers), base(specifiers))
        }
        Declaration::Of { specifiers, declarators, .. } => {
            let list = join(declarators, " ", |one| {
                let attributes = attributes(&one.attributes);
                let value =
                    one.initializer.as_ref().map(|value| format!(" = {}", initializer(value)));
                let head = declared(specifiers, &one.declarator);
                format!("{head}{attributes}{}", value.unwrap_or_default())
            });
            format!("(decl {}{list})", extra(specifiers))
        }
        Declaration::StaticAssert { condition, message, .. } => {
            let message = message.as_ref().map(|text| String::from_utf8_lossy(text).into_owned());
            format!("(static_assert {} {:?})", expr(condition), message.unwrap_or_default())
        }
    }
}

/// Storage classes and the like, each followed by a space.
fn extra(specifiers: &Specifiers) -> String {
    let storage = match specifiers.storage {
        None => "",
        Some(Storage::Typedef) => "typedef ",
        Some(Storage::Extern) => "extern ",
        Some(Storage::Static) => "static ",
        Some(Storage::Auto) => "auto ",
        Some(Storage::Register) => "register ",
    };
    let flag = |is: bool, text: &'static str| if is { text } else { "" };
    let thread = flag(specifiers.thread_local, "thread_local ");
    let (inline, noreturn) =
        (flag(specifiers.inline, "inline "), flag(specifiers.noreturn, "noreturn "));
    let aligned = specifiers.alignments.iter().map(|one| match one {
        Alignment::Type(name) => format!("alignas({}) ", type_name(name)),
        Alignment::Value(value) => format!("alignas({}) ", expr(value)),
    });
    let aligned: String = aligned.collect();
    let attributes = attributes(&specifiers.attributes);
    let attributes = attributes.strip_prefix(' ').map_or(String::new(), |list| format!("{list} "));
    format!("{storage}{thread}{inline}{noreturn}{aligned}{attributes}")
}

fn attributes(list: &[Attribute]) -> String {
    let shown = list.iter().map(|one| match one.arguments.as_slice() {
        [] => format!(" @{}", one.name),
        arguments => format!(" @{}({})", one.name, join(arguments, " ", expr)),
    });
    shown.collect()
}

fn declared(specifiers: &Specifiers, declarator: &Declarator) -> String {
    let name = declarator.name.as_ref().map_or("", |name| &name.name);
    format!("{name}:{}{}", derived(&declarator.derived), base(specifiers))
}

pub fn type_name(name: &TypeName) -> String {
    format!("{}{}", derived(&name.declarator.derived), base(&name.specifiers))
}

fn derived(list: &[Derived]) -> String {
    join(list, "", |one| match one {
        Derived::Pointer(how) => format!("*{}", qualifiers(*how)),
        Derived::Array(ArraySize::Unknown) => "[]".to_owned(),
        Derived::Array(ArraySize::Star) => "[*]".to_owned(),
        Derived::Array(ArraySize::Expr(size)) => format!("[{}]", expr(size)),
        Derived::Function(Parameters::OldStyle(names)) => {
            format!("(?{})", join(names, " ", |name| name.name.to_string()))
        }
        Derived::Function(Parameters::Typed { list, variadic }) => {
            let shown = join(list, " ", |one| {
                format!("{}{}", extra(&one.specifiers), declared(&one.specifiers, &one.declarator))
            });
            format!("({shown}{})", if *variadic { " ..." } else { "" })
        }
    })
}

fn qualifiers(list: Qualifiers) -> String {
    let flag = |is: bool, text: &'static str| if is { text } else { "" };
    let (constant, volatile) = (flag(list.constant, "const "), flag(list.volatile, "volatile "));
    format!("{constant}{volatile}{}", flag(list.atomic, "atomic "))
}

fn base(specifiers: &Specifiers) -> String {
    let base = match &specifiers.base {
        TypeSpecifier::Basic(Basic::Unsupported(name)) => format!("!{name}"),
        TypeSpecifier::Basic(basic) => format!("{basic:?}").to_lowercase(),
        TypeSpecifier::Record(record) => self::record(record),
        TypeSpecifier::Enum(list) => enumeration(list),
        TypeSpecifier::Typedef(name) => format!("'{}", name.name),
        TypeSpecifier::TypeofExpr(value) => format!("typeof({})", expr(value)),
        TypeSpecifier::TypeofType(name) => format!("typeof-type({})", type_name(name)),
        TypeSpecifier::Atomic(name) => format!("atomic({})", type_name(name)),
        TypeSpecifier::Auto => "auto".to_owned(),
        TypeSpecifier::VaList => "va_list".to_owned(),
    };
    format!("{}{base}", qualifiers(specifiers.qualifiers))
}

fn record(record: &Record) -> String {
    let kind = if record.union { "union" } else { "struct" };
    let tag = record.tag.as_ref().map_or(String::new(), |tag| format!(" {}", tag.name));
    let members = record
        .members
        .as_ref()
        .map_or(String::new(), |members| format!(" {{{}}}", join(members, "; ", member)));
    format!("{kind}{tag}{members}{}", attributes(&record.attributes))
}

fn member(member: &Member) -> String {
    match member {
        Member::StaticAssert(assertion) => declaration(assertion),
        Member::Fields { specifiers, fields, .. } if fields.is_empty() => base(specifiers),
        Member::Fields { specifiers, fields, .. } => join(fields, " ", |field| {
            let head = field.declarator.as_ref();
            let head =
                head.map_or_else(|| format!(":{}", base(specifiers)), |d| declared(specifiers, d));
            let width = field.width.as_ref().map(|width| format!("/{}", expr(width)));
            format!("{head}{}{}", width.unwrap_or_default(), attributes(&field.attributes))
        }),
    }
}

fn enumeration(list: &Enum) -> String {
    let tag = list.tag.as_ref().map_or(String::new(), |tag| format!(" {}", tag.name));
    let constants = list.constants.as_ref().map_or(String::new(), |constants| {
        let shown = join(constants, " ", |(name, value)| match value {
            Some(value) => format!("{}={}", name.name, expr(value)),
            None => name.name.to_string(),
        });
        format!(" {{{shown}}}")
    });
    format!("enum{tag}{constants}{}", attributes(&list.attributes))
}

fn initializer(value: &Initializer) -> String {
    match value {
        Initializer::Expr(value) => expr(value),
        Initializer::List(items, _) => {
            let shown = join(items, " ", |item| {
                let path = join(&item.designators, "", designator);
                let sign = if path.is_empty() { "" } else { "=" };
                format!("{path}{sign}{}", initializer(&item.value))
            });
            format!("{{{shown}}}")
        }
    }
}

fn designator(step: &Designator) -> String {
    match step {
        Designator::Field(name) => format!(".{}", name.name),
        Designator::Index(index) => format!("[{}]", expr(index)),
        Designator::Range(first, last) => format!("[{}..{}]", expr(first), expr(last)),
    }
}

pub fn expr(value: &Expr) -> String {
    use ExprKind::*;
    let two = |op: &str, a: &Expr, b: &Expr| format!("({op} {} {})", expr(a), expr(b));
    match &value.kind {
        Identifier(name) => name.to_string(),
        Integer(integer) => {
            let unsigned = if integer.unsigned { "u" } else { "" };
            format!("{}{unsigned}{}", integer.value, "l".repeat(integer.long.into()))
        }
        Float { value, kind } => match kind {
            Basic::Double => format!("{value:?}"),
            kind => format!("{value:?}{}", format!("{kind:?}").to_lowercase()),
        },
        Character { value, prefix } => format!("{}c{value}", self::prefix(*prefix)),
        String { units, prefix } => {
            let text: std::string::String =
                units.iter().filter_map(|u| char::from_u32(*u)).collect();
            format!("{}{text:?}", self::prefix(*prefix))
        }
        Index(a, b) => two("index", a, b),
        Call(callee, arguments) => {
            let arguments: std::string::String =
                arguments.iter().map(|one| format!(" {}", expr(one))).collect();
            format!("(call {}{arguments})", expr(callee))
        }
        Member { base, field, arrow } => {
            format!("({} {} {})", if *arrow { "->" } else { "." }, expr(base), field.name)
        }
        Unary(op, a) => format!("({} {})", unary(*op), expr(a)),
        Step { place, up, postfix } => {
            let op = if *up { "++" } else { "--" };
            let how = if *postfix { "post" } else { "pre" };
            format!("({how}{op} {})", expr(place))
        }
        Cast(name, a) => format!("(cast {} {})", type_name(name), expr(a)),
        Compound(name, list) => format!("(literal {} {})", type_name(name), initializer(list)),
        SizeofExpr(a) => format!("(sizeof {})", expr(a)),
        SizeofType(name) => format!("(sizeof-type {})", type_name(name)),
        AlignofExpr(a) => format!("(alignof {})", expr(a)),
        AlignofType(name) => format!("(alignof-type {})", type_name(name)),
        Binary(op, a, b) => two(binary(*op), a, b),
        Logical { and, left, right } => two(if *and { "&&" } else { "||" }, left, right),
        Conditional(a, None, c) => two("?:", a, c),
        Conditional(a, Some(b), c) => format!("(? {} {} {})", expr(a), expr(b), expr(c)),
        Assign(op, a, b) => two(&format!("{}=", op.map_or("", binary)), a, b),
        Comma(a, b) => two(",", a, b),
        Statement(block) => format!("(do {})", join(&block.items, " ", stmt)),
        Generic(control, choices) => {
            let shown = join(choices, " ", |(name, value)| {
                let name = name.as_ref().map_or("default".to_owned(), type_name);
                format!("{name}:{}", expr(value))
            });
            format!("(generic {} {shown})", expr(control))
        }
        VaArg(list, name) => format!("(va_arg {} {})", expr(list), type_name(name)),
        Offsetof(name, path) => {
            format!("(offsetof {} {})", type_name(name), join(path, "", designator))
        }
        TypesCompatible(a, b) => format!("(compatible {} {})", type_name(a), type_name(b)),
        Choose(a, b, c) => format!("(choose {} {} {})", expr(a), expr(b), expr(c)),
        LabelAddress(label) => format!("(&& {})", label.name),
    }
}

fn prefix(prefix: Prefix) -> &'static str {
    match prefix {
        Prefix::None => "",
        Prefix::Utf8 => "u8",
        Prefix::Wide => "L",
        Prefix::Utf16 => "u",
        Prefix::Utf32 => "U",
    }
}

fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::AddressOf => "&",
        UnaryOp::Dereference => "*",
        UnaryOp::Plus => "+",
        UnaryOp::Negate => "-",
        UnaryOp::Complement => "~",
        UnaryOp::Not => "!",
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::Less => "<",
        BinaryOp::Greater => ">",
        BinaryOp::LessEqual => "<=",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::And => "&",
        BinaryOp::Xor => "^",
        BinaryOp::Or => "|",
    }
}

fn stmt(statement: &Stmt) -> String {
    use StmtKind::*;
    let optional =
        |value: &Option<raddle_cfront::ast::Expr>| value.as_ref().map_or("_".to_owned(), expr);
    match &statement.kind {
        Empty => "()".to_owned(),
        Declaration(one) => declaration(one),
        Expr(value) => expr(value),
        Block(block) => format!("{{{}}}", join(&block.items, " ", stmt)),
        If(condition, then, None) => format!("(if {} {})", expr(condition), stmt(then)),
        If(condition, then, Some(other)) => {
            format!("(if {} {} {})", expr(condition), stmt(then), stmt(other))
        }
        While(condition, body) => format!("(while {} {})", expr(condition), stmt(body)),
        DoWhile(body, condition) => format!("(do-while {} {})", stmt(body), expr(condition)),
        For(first, condition, step, body) => {
            let (condition, step) = (optional(condition), optional(step));
            format!("(for {} {condition} {step} {})", stmt(first), stmt(body))
        }
        Switch(value, body) => format!("(switch {} {})", expr(value), stmt(body)),
        Case(first, None, body) => format!("(case {} {})", expr(first), stmt(body)),
        Case(first, Some(last), body) => {
            format!("(case {}..{} {})", expr(first), expr(last), stmt(body))
        }
        Default(body) => format!("(default {})", stmt(body)),
        Label(name, body) => format!("(label {} {})", name.name, stmt(body)),
        LocalLabels(names) => {
            format!("(labels {})", join(names, " ", |name| name.name.to_string()))
        }
        Goto(name) => format!("(goto {})", name.name),
        GotoComputed(value) => format!("(goto* {})", expr(value)),
        Break => "(break)".to_owned(),
        Continue => "(continue)".to_owned(),
        Return(None) => "(return)".to_owned(),
        Return(Some(value)) => format!("(return {})", expr(value)),
        Asm(one) => asm(one),
    }
}

fn asm(asm: &Asm) -> String {
    let outputs = if asm.outputs { " outputs" } else { "" };
    format!("(asm {:?}{outputs})", String::from_utf8_lossy(&asm.template))
}
